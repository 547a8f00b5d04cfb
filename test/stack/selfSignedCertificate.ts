import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const MS_PER_DAY = 86_400_000;
const TAG = {
  integer: 0x02,
  bits: 0x03,
  oid: 0x06,
  text: 0x0c,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
  version: 0xa0,
} as const;
/** ecdsa-with-SHA256 (1.2.840.10045.4.3.2) and commonName (2.5.4.3), as DER writes them. */
const ECDSA_WITH_SHA256 = Buffer.from('2a8648ce3d040302', 'hex');
const COMMON_NAME = Buffer.from('550403', 'hex');
const VERSION_3 = 2;

/** A key and a certificate by itself for a server on this machine, good for a day, made anew each time. */
export function selfSignedCertificate(): { readonly key: string; readonly cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const algorithm = der(TAG.sequence, der(TAG.oid, ECDSA_WITH_SHA256));
  const name = der(
    TAG.sequence,
    der(TAG.set, der(TAG.sequence, der(TAG.oid, COMMON_NAME), der(TAG.text, Buffer.from('127.0.0.1')))),
  );
  const body = der(
    TAG.sequence,
    der(TAG.version, der(TAG.integer, Buffer.from([VERSION_3]))),
    // A leading 1 keeps the number positive.
    der(TAG.integer, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    der(TAG.sequence, time(Date.now() - MS_PER_DAY), time(Date.now() + MS_PER_DAY)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = sign('sha256', body, privateKey);
  const certificate = der(TAG.sequence, body, algorithm, der(TAG.bits, Buffer.from([0]), signature));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function time(milliseconds: number): Buffer {
  const text = new Date(milliseconds).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return der(TAG.time, Buffer.from(text));
}
