declare global {
  interface JSON {
    /** A number that is written as `text` says it (ECMAScript, "JSON.parse source text access"); not in the library types yet. */
    rawJSON(text: string): RawNumber;
  }
}

/** A number with the digits that a database would send: JavaScript has no number for all of them. */
export interface RawNumber {
  readonly rawJSON: string;
}

export function rawNumber(text: string): RawNumber {
  return JSON.rawJSON(text);
}
