import type { ArrivalPipeline } from './arrival.ts';
import { arrivalInList, clockOfArrival, indexOfArrival } from './arrivalToken.ts';
import type { Parking } from './parking.ts';

/** What sources use of the pipeline for changes whose order depends on arrival. */
export type Arrivals = Pick<ArrivalPipeline, 'ingest' | 'replay' | 'areRecorded'>;

/** What sources use of the parking. */
export type ParkingLot = Pick<Parking, 'park' | 'parkArrived' | 'replay'>;

/**
 * `arrivals` for what has come before as one record: whatever is taken in as new has the arrival that it had then, and after
 * that its place where the one record holds a list.
 */
export function arrivedBefore(arrivals: Arrivals, arrival: string): Arrivals {
  return {
    ingest: (source, stream, deliveries, _clock, floors) => {
      const arrived = deliveries.map(({ index, ...delivery }) => ({ ...delivery, arrival: arrivalAt(arrival, index) }));
      return arrivals.replay(source, stream, arrived, floors);
    },
    replay: (source, stream, deliveries, floors) => arrivals.replay(source, stream, deliveries, floors),
    areRecorded: (changes) => arrivals.areRecorded(changes),
  };
}

/** `parking` likewise: what has to wait waits with the arrival that `arrivedBefore` would give it. */
export function waitedBefore(parking: ParkingLot, arrival: string): ParkingLot {
  const park: ParkingLot['parkArrived'] = (source, stream, records) => {
    const arrived = records.map((record) => ({
      ...record,
      arrival: arrivalAt(arrival, indexOfArrival(record.arrival)),
    }));
    return parking.parkArrived(source, stream, arrived);
  };
  return {
    park,
    parkArrived: (source, stream, records) => parking.parkArrived(source, stream, records),
    replay: (waitingFor, take) => parking.replay(waitingFor, take),
  };
}

/** Where and when a record stood in its request, from its arrival. */
export function placeOfArrival(arrival: string): { readonly clockMs: number; readonly index: number } {
  return { clockMs: clockOfArrival(arrival), index: indexOfArrival(arrival) };
}

/** The arrival of what stands at `index`, counted from the request's start, in the record that arrived at `arrival`. */
function arrivalAt(arrival: string, index: number): string {
  return arrivalInList(arrival, index - indexOfArrival(arrival));
}
