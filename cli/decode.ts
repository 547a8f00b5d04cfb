import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { UnprocessableError } from '../shared/ingest/reasons.ts';
import type { DecodedChange } from '../shared/ingest/replay.ts';
import { type Command, EXIT, UsageError } from './command.ts';
import { DECODERS, type Format, isFormat } from './formats.ts';
import { gunzipped } from './gunzip.ts';

const FORMATS = Object.keys(DECODERS).join(', ');

/**
 * `tributary decode FILE`: what a file holds, in gzip or not, as normalised changes. Needs no store: what only a catalog
 * knows is missing.
 */
export const decode: Command = async (args, { terminal }) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { format: { type: 'string' }, stream: { type: 'string' }, json: { type: 'boolean' } },
  });
  const [path, ...others] = positionals;
  if (path === undefined || others.length > 0) throw new UsageError('decode takes one file');
  const { format } = values;
  if (format !== undefined && !isFormat(format)) throw new UsageError(`--format is one of ${FORMATS}`);
  const found = await decodeFile(path, format, values.stream ?? 'file');
  const changes = found.decoded.filter((each) => !(each instanceof UnprocessableError));
  const errors = found.decoded.flatMap((each) =>
    each instanceof UnprocessableError ? { reason: each.reason, detail: each.message } : [],
  );
  if (values.json === true) terminal.line(JSON.stringify({ format: found.format, changes, errors }, null, 2));
  else {
    terminal.note(`${found.format}: ${changes.length} changes, ${errors.length} that cannot be read`);
    for (const change of changes) terminal.line(JSON.stringify(change, null, 2));
    for (const { reason, detail } of errors) terminal.line(`! ${reason}: ${detail}`);
  }
  return errors.length === 0 && changes.length > 0 ? EXIT.ok : EXIT.found;
};

interface Found {
  readonly format: Format;
  readonly decoded: readonly (DecodedChange | UnprocessableError)[];
}

async function decodeFile(path: string, format: Format | undefined, stream: string): Promise<Found> {
  const content = await gunzipped(await readFile(path));
  if (content instanceof UnprocessableError) return { format: format ?? 'ces', decoded: [content] };
  return decodeAs(format, content, stream);
}

/** Without a format the one counts that reads most changes, and of several the first. */
async function decodeAs(format: Format | undefined, bytes: Buffer, stream: string): Promise<Found> {
  if (format !== undefined) return { format, decoded: await DECODERS[format](bytes, stream) };
  const all = await Promise.all(
    Object.entries(DECODERS).map(async ([name, read]): Promise<Found> => {
      return { format: isFormat(name) ? name : 'ces', decoded: await read(bytes, stream) };
    }),
  );
  const count = ({ decoded }: Found) => decoded.filter((each) => !(each instanceof UnprocessableError)).length;
  return all.reduce((best, each) => (count(each) > count(best) ? each : best));
}
