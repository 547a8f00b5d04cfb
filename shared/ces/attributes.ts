import { z } from 'zod';
import { UnprocessableError } from '../ingest/reasons.ts';
import type { AvroChangeEvent } from './avroTypes.ts';

/** Longer than any `logicalid` that the source forms (78), and short enough to be a partition key. */
const MAX_LOGICAL_ID_CHARACTERS = 512;

const MAX_INDEX = 2 ** 31 - 1;

/** What all servers send today. */
const PUBLISHED_SPECVERSION = '1.0';
const PUBLISHED_TYPE = 'com.microsoft.SQL.CES.DML.V1';
const KNOWN_TYPE = /^com\.microsoft\.SQL\.CES\.DML\.V([1-9]\d{0,8})$/i;

/** The version whose shape is published. Later ones are read as long as they still look like it. */
const PUBLISHED_VERSION = 1;

/** What an envelope says about its event, under the names of the wire and in plain JSON. Everything but `data`. */
export interface CesAttributes {
  readonly id: string;
  readonly logicalid: string;
  readonly type: string;
  readonly time: string | null;
  readonly operation: string;
  readonly datacontenttype: string | null;
  readonly segmentindex?: number;
  readonly finalsegment?: boolean;
  /** The names of `segmentindex` and `finalsegment` in early previews. */
  readonly splitindex?: number;
  readonly splittotalcnt?: number;
}

const index = z.union([
  z.int().min(0).max(MAX_INDEX),
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number),
]);
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]);
const optionalText = z.string().nullish();

const envelopeShape = z.object({
  specversion: z.string().startsWith('1.'),
  source: z.string(),
  id: z.string(),
  logicalid: z.string().min(1).max(MAX_LOGICAL_ID_CHARACTERS),
  time: optionalText,
  operation: z.string(),
  datacontenttype: optionalText,
  segmentindex: index.nullish(),
  finalsegment: flag.nullish(),
  splitindex: index.nullish(),
  splittotalcnt: index.nullish(),
});

type EnvelopeMembers = { readonly [Name in keyof z.infer<typeof envelopeShape> | 'type']?: unknown };

/**
 * Checks what was read as an envelope, whatever it was encoded in. Throws UnprocessableError: `invalid-envelope`, or
 * `unsupported-type` where `type` names something else or a later version that no longer fits.
 */
export function readAttributes(envelope: EnvelopeMembers): CesAttributes {
  const usual = usualAttributes(envelope);
  if (usual !== undefined) return usual;
  const { type } = envelope;
  if (typeof type !== 'string')
    throw new UnprocessableError('invalid-envelope', 'the message is no CloudEvent: no type');
  if (type !== PUBLISHED_TYPE && !KNOWN_TYPE.test(type)) {
    throw new UnprocessableError('unsupported-type', 'the type is not com.microsoft.SQL.CES.DML.V1 or later');
  }
  const { success, data: shape, error } = envelopeShape.safeParse(envelope);
  if (!success) {
    const names = error.issues.map((issue) => issue.path.join('.') || 'envelope');
    throw misfit(type, `the envelope lacks these or has them in another form: ${[...new Set(names)].join(', ')}`);
  }
  const { id, logicalid, operation } = shape;
  const attributes = {
    id,
    logicalid,
    type,
    time: shape.time ?? null,
    operation,
    datacontenttype: shape.datacontenttype ?? null,
  };
  if (typeof shape.segmentindex === 'number') {
    if (typeof shape.finalsegment !== 'boolean')
      throw misfit(type, 'the envelope has segmentindex but no finalsegment');
    return { ...attributes, segmentindex: shape.segmentindex, finalsegment: shape.finalsegment };
  }
  if (shape.finalsegment === false) throw misfit(type, 'the envelope has finalsegment false but no segmentindex');
  if (typeof shape.splitindex !== 'number') return attributes;
  return { ...attributes, splitindex: shape.splitindex, splittotalcnt: shape.splittotalcnt ?? 0 };
}

/** An envelope as the source sends it today, for which the search for what is wrong would cost as much as all else here. */
function usualAttributes(envelope: EnvelopeMembers): CesAttributes | undefined {
  const { specversion, type, source, id, logicalid, time, operation, datacontenttype } = envelope;
  const { segmentindex, finalsegment, splitindex, splittotalcnt } = envelope;
  if (type !== PUBLISHED_TYPE || specversion !== PUBLISHED_SPECVERSION || typeof source !== 'string') return undefined;
  if (typeof id !== 'string' || typeof time !== 'string' || typeof operation !== 'string') return undefined;
  if (typeof datacontenttype !== 'string' || typeof logicalid !== 'string' || logicalid === '') return undefined;
  if (typeof finalsegment !== 'boolean' || typeof segmentindex !== 'number') return undefined;
  if (!Number.isInteger(segmentindex) || segmentindex < 0 || segmentindex > MAX_INDEX) return undefined;
  if (logicalid.length > MAX_LOGICAL_ID_CHARACTERS || splitindex !== undefined || splittotalcnt !== undefined)
    return undefined;
  return { id, logicalid, type, time, operation, datacontenttype, segmentindex, finalsegment };
}

/** The same for an Avro record, whose schema has seen to most of it. */
export function attributesOfRecord(event: AvroChangeEvent): CesAttributes {
  const { id, logicalid, type, time, operation, datacontenttype, segmentindex, finalsegment } = event;
  const isPlain = type === PUBLISHED_TYPE && segmentindex >= 0 && logicalid.length <= MAX_LOGICAL_ID_CHARACTERS;
  if (!isPlain || logicalid === '') return readAttributes(event);
  return { id, logicalid, type, time, operation, datacontenttype, segmentindex, finalsegment };
}

/** The error for an event that does not look as its type promises: a version that is not published may look otherwise. */
export function misfit(type: string, detail: string, options?: ErrorOptions): UnprocessableError {
  const version = Number(KNOWN_TYPE.exec(type)?.[1]);
  if (version > PUBLISHED_VERSION)
    return new UnprocessableError('unsupported-type', `version ${version}: ${detail}`, options);
  return new UnprocessableError('invalid-envelope', detail, options);
}

/** An error in reading the rest of the event, in the light of the version that the event says it is of. */
export function inLightOfType(type: string, error: unknown): unknown {
  const isMisfit =
    error instanceof UnprocessableError && (error.reason === 'undecodable' || error.reason === 'invalid-envelope');
  if (!isMisfit) return error;
  const judged = misfit(type, error.message, { cause: error });
  return judged.reason === 'unsupported-type' ? judged : error;
}
