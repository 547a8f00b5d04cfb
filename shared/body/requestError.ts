/** Thrown when a request as a whole cannot be taken; the records in it were not looked at, or none could be read. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: 400 | 411 | 413 | 415;

  /** `message` tells the sender what to change; it never quotes row values. */
  constructor(status: RequestError['status'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}
