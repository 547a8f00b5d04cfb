import { AmqpDecodeError, skipValue, textAt } from './amqpScan.ts';

/** Descriptor codes of the sections of a message (AMQP 1.0 part 3, section 3.2), in the order in which they must come. */
export const SECTION = {
  header: 0x70,
  deliveryAnnotations: 0x71,
  messageAnnotations: 0x72,
  properties: 0x73,
  applicationProperties: 0x74,
  data: 0x75,
  sequence: 0x76,
  value: 0x77,
  footer: 0x78,
} as const;

const SYMBOLIC_DESCRIPTORS: ReadonlyMap<string, number> = new Map([
  ['amqp:header:list', SECTION.header],
  ['amqp:delivery-annotations:map', SECTION.deliveryAnnotations],
  ['amqp:message-annotations:map', SECTION.messageAnnotations],
  ['amqp:properties:list', SECTION.properties],
  ['amqp:application-properties:map', SECTION.applicationProperties],
  ['amqp:data:binary', SECTION.data],
  ['amqp:amqp-sequence:list', SECTION.sequence],
  ['amqp:amqp-value:*', SECTION.value],
  ['amqp:value:*', SECTION.value],
  ['amqp:footer:map', SECTION.footer],
]);

const SMALL_ULONG = 0x53;
const ULONG = 0x80;

/** A section as positions in the bytes of its message: `valueStart` is where the described value begins. */
export interface Section {
  readonly code: number;
  readonly start: number;
  readonly valueStart: number;
  readonly end: number;
}

function descriptorCode(bytes: Buffer, position: number): number {
  const type = bytes[position];
  if (type === SMALL_ULONG) {
    return bytes[position + 1] ?? 0;
  }
  if (type === ULONG) {
    return Number(bytes.readBigUInt64BE(position + 1));
  }
  return SYMBOLIC_DESCRIPTORS.get(textAt(bytes, position) ?? '') ?? 0;
}

function isBody(code: number): boolean {
  return code >= SECTION.data && code <= SECTION.value;
}

function mayFollow(code: number, previous: number): boolean {
  const repeats = code === previous && (code === SECTION.data || code === SECTION.sequence);
  return repeats || (code > previous && !(isBody(code) && isBody(previous)));
}

/**
 * Lists the sections of one encoded message, each checked to its innermost value.
 * @throws AmqpDecodeError when a section is unknown, damaged or out of order, or when there is no body.
 */
export function messageSections(bytes: Buffer): Section[] {
  const sections: Section[] = [];
  let previous = 0;
  let hasBody = false;
  for (let start = 0; start < bytes.length; ) {
    if (bytes[start] !== 0) {
      throw new AmqpDecodeError('a message section must be a described value');
    }
    const valueStart = skipValue(bytes, start + 1);
    const end = skipValue(bytes, valueStart);
    const code = descriptorCode(bytes, start + 1);
    if (code < SECTION.header || code > SECTION.footer) {
      throw new AmqpDecodeError('a message has an unknown section');
    }
    if (!mayFollow(code, previous)) {
      throw new AmqpDecodeError('the sections of a message are out of order');
    }
    hasBody ||= isBody(code);
    sections.push({ code, start, valueStart, end });
    previous = code;
    start = end;
  }
  if (!hasBody) {
    throw new AmqpDecodeError('a message has no body');
  }
  return sections;
}
