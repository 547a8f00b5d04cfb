/** What the store's requests cost since the process started. */
export interface RequestMeter {
  requestUnits: number;
  /** Operations that were answered 429 and tried again. */
  throttled: number;
}

export function newRequestMeter(): RequestMeter {
  return { requestUnits: 0, throttled: 0 };
}
