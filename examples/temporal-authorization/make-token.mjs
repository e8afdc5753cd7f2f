/**
 * Tokens for a Temporal server, for a team without an identity provider. One that has a provider gives the server the address of its
 * keys instead (TEMPORAL_JWT_KEY_SOURCE1), and lets it put `permissions` into its tokens.
 *
 *   node make-token.mjs key FOLDER                                      writes signing-key.pem (keep it) and keys.json (for the server)
 *   node make-token.mjs token FOLDER SUBJECT HOURS PERMISSION..         prints a token; PERMISSION: NAMESPACE:read, :write or :admin
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEY_ID = 'team';
const PERMISSION = /^[^:]+:(read|write|admin)$/;

function makeKey(folder) {
  mkdirSync(folder, { recursive: true });
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  writeFileSync(join(folder, 'signing-key.pem'), pem, { mode: 0o600, flag: 'wx' });
  writeKeys(folder, publicKey);
}

function writeKeys(folder, publicKey) {
  const key = { ...publicKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'ES256', use: 'sig' };
  writeFileSync(join(folder, 'keys.json'), `${JSON.stringify({ keys: [key] }, null, 2)}\n`);
}

function makeToken(folder, subject, hours, permissions) {
  const wrong = permissions.filter((permission) => !PERMISSION.test(permission));
  if (permissions.length === 0 || wrong.length > 0)
    throw new Error(`not NAMESPACE:read|write|admin: ${wrong.join(' ')}`);
  if (!Number.isFinite(Number(hours))) throw new Error(`not a number of hours: ${hours}`);
  const key = createPrivateKey(readFileSync(join(folder, 'signing-key.pem')));
  writeKeys(folder, createPublicKey(key));
  const now = Math.floor(Date.now() / 1000);
  const header = { alg: 'ES256', typ: 'JWT', kid: KEY_ID };
  const claims = { sub: subject, iat: now, exp: now + Math.round(Number(hours) * 3600), permissions };
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

const [verb, folder, subject, hours, ...permissions] = process.argv.slice(2);
if (verb === 'key' && folder) makeKey(folder);
else if (verb === 'token' && folder && subject && hours) console.log(makeToken(folder, subject, hours, permissions));
else {
  console.error('Usage: node make-token.mjs key FOLDER | token FOLDER SUBJECT HOURS PERMISSION..');
  process.exitCode = 2;
}
