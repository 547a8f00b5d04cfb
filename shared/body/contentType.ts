import { RequestError } from './requestError.ts';

/** Media types that are certainly something else than a body of records in JSON. */
const OTHER_FORMATS =
  /^(?:multipart|image|audio|video|font|model)\/|[/+]xml$|^application\/(?:pdf|zip|protobuf|x-protobuf)$/;
const UTF_8 = new Set(['utf-8', 'utf8', 'us-ascii']);

/**
 * Throws RequestError (415) when the content type promises something that no body of records is. Everything else is
 * looked at by its content: senders label JSON as plain text, as a form (curl's default), or as nothing at all.
 */
export function refuseOtherTypes(contentType: string | null): void {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (OTHER_FORMATS.test(type.trim())) throw new RequestError(415, 'the Content-Type is none that holds records');
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    if (name.trim() === 'charset' && !UTF_8.has(value.trim().replaceAll('"', ''))) {
      throw new RequestError(415, 'the charset is none that is understood: send UTF-8');
    }
  }
}
