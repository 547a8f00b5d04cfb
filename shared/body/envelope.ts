/**
 * The envelope that Kafka's REST proxy takes, and Firehose sends: an object whose member `records` is a list of parts.
 * A record may have a member of that name too, so an object is an envelope only where none of its members is foreign to
 * one.
 */
const LIST = 'records';
/** The list's name as it stands in the text, closed by its quotation mark. */
export const ENVELOPE_LIST: Uint8Array = Buffer.from(`"${LIST}"`);
const OTHER_MEMBERS: ReadonlySet<string> = new Set([
  'key_schema',
  'key_schema_id',
  'key_schema_version',
  'value_schema',
  'value_schema_id',
  'value_schema_version',
  'requestId',
  'timestamp',
]);
const LEADING_COMMA = /^\s*,/;

/** Whether an envelope may begin with `text`, the object up to its list. */
export function beginsEnvelope(text: string): boolean {
  return namesIn(`${text}0}`)?.every((name) => name === LIST || OTHER_MEMBERS.has(name)) ?? false;
}

/** Whether an envelope may end with `text`, the object from behind its list on; undefined where that cannot be read. */
export function endsEnvelope(text: string): boolean | undefined {
  return namesIn(`{${text.replace(LEADING_COMMA, '')}`)?.every((name) => OTHER_MEMBERS.has(name));
}

function namesIn(text: string): readonly string[] | undefined {
  try {
    return Object.keys(JSON.parse(text) as object);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}
