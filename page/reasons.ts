/** The closed list of reasons, in the words of the API. */
export const REASONS: readonly string[] = [
  'undecodable',
  'invalid-envelope',
  'illegal-schema',
  'unsupported-type',
  'segment-conflict',
  'segment-timeout',
  'segment-limit',
  'unknown-operation',
  'no-key',
  'no-order',
  'store-rejected',
  'too-old',
];
