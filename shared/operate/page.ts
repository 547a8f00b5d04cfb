import { createHash } from 'node:crypto';
import { MARKUP, SCRIPT, STYLE } from './pageAssets.ts';

/** The page that shows the app at work, ready to be served. It holds no data: those it asks the API for, with a key. */
export interface Page {
  readonly html: string;
  readonly headers: { readonly [name: string]: string };
  /** Of this version of the page, quoted as HTTP has it. */
  readonly etag: string;
}

/** Puts the page together. Everything is in the one document: nothing else is loaded, from nowhere. */
export function composePage(): Page {
  const html = MARKUP.replace('</style>', () => `${STYLE}</style>`).replace('</script>', () => `${SCRIPT}</script>`);
  const etag = `"${createHash('sha256').update(html).digest('base64url')}"`;
  return {
    html,
    etag,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': securityPolicy(),
      'Cache-Control': 'no-cache',
      ETag: etag,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
    },
  };
}

/**
 * Only this very script and this very style run, the script talks to this origin alone, and it cannot turn text into
 * markup even by mistake: the policy forbids `innerHTML` and its kind (Trusted Types without any policy).
 */
function securityPolicy(): string {
  return [
    "default-src 'none'",
    `script-src ${sourceHash(SCRIPT)}`,
    `style-src ${sourceHash(STYLE)}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

function sourceHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** Whether a request's `If-None-Match` names this version. */
export function isCurrent(ifNoneMatch: string | null, etag: string): boolean {
  const known = (ifNoneMatch ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}
