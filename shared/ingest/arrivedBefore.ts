import type { ArrivalPipeline } from './arrival.ts';
import { clockOfArrival } from './arrivalToken.ts';

/** What sources use of the pipeline for changes whose order depends on arrival. */
export type Arrivals = Pick<ArrivalPipeline, 'ingest' | 'replay' | 'areRecorded'>;

/** `arrivals` for one record that has come before: whatever is taken in as new has the arrival that it had then. */
export function arrivedBefore(arrivals: Arrivals, arrival: string): Arrivals {
  return {
    ingest: (source, stream, deliveries, _clock, floors) => {
      const arrived = deliveries.map(({ index: _, ...delivery }) => ({ ...delivery, arrival }));
      return arrivals.replay(source, stream, arrived, floors);
    },
    replay: (source, stream, deliveries, floors) => arrivals.replay(source, stream, deliveries, floors),
    areRecorded: (changes) => arrivals.areRecorded(changes),
  };
}

/** Where and when a record stood in its request, from its arrival. */
export function placeOfArrival(arrival: string): { readonly clockMs: number; readonly index: number } {
  const clockMs = clockOfArrival(arrival);
  return { clockMs, index: Number(arrival.slice(-INDEX_DIGITS)) };
}

const INDEX_DIGITS = 6;
