/** One HTTP request with records, free of the trigger that it came by. */
export interface IngestRequest {
  /** The stream that the route names, as sent. */
  readonly stream: string;
  /** A header's value by its lower-case name; null where the request has none. */
  header(name: string): string | null;
  /** The body as it came over the wire. Called once at the most. */
  body(): Promise<Uint8Array>;
}
