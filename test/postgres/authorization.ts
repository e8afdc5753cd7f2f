/** The example of a server that authenticates its callers, set up as its README describes. */
import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConnectionOptions } from '@temporalio/client';

const EXAMPLE = fileURLToPath(new URL('../../examples/temporal-authorization', import.meta.url));
/** Where the example expects its files on a server. */
const INSTALLED = '/etc/temporal/auth';
const QUIET: ExecFileSyncOptionsWithStringEncoding = { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' };

/** Certificates, keys and settings in a temporary folder. */
export interface Authorization {
  /** Environment of the server. */
  settings: Record<string, string>;
  /** What a client needs in addition to a token. */
  tls: Exclude<ConnectionOptions['tls'], boolean | null | undefined>;
  /** The same as environment variables of a command. */
  env: Record<
    'TEMPORAL_TLS_SERVER_CA_CERT_PATH' | 'TEMPORAL_TLS_CLIENT_CERT_PATH' | 'TEMPORAL_TLS_CLIENT_KEY_PATH',
    string
  >;
  /** A token that is valid for the given number of hours. */
  token(subject: string, permissions: readonly string[], hours?: number): string;
  remove(): void;
}

/** Runs the programs of the example. */
export function makeAuthorization(): Authorization {
  const folder = mkdtempSync(join(tmpdir(), 'ability-test-authorization-'));
  const makeToken = join(EXAMPLE, 'make-token.mjs');
  execFileSync(join(EXAMPLE, 'make-certificates.sh'), [folder], QUIET);
  execFileSync(process.execPath, [makeToken, 'key', folder], QUIET);
  const at = (name: string): string => join(folder, name);
  const lines = readFileSync(join(EXAMPLE, 'server.env'), 'utf8').split('\n');
  const settings = Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value] = /^([A-Z0-9_]+)=(.*)$/.exec(line) ?? [];
      return name !== undefined && value !== undefined ? [[name, value.replace(INSTALLED, folder)]] : [];
    }),
  );
  return {
    settings,
    tls: {
      serverRootCACertificate: readFileSync(at('cluster-ca.pem')),
      clientCertPair: { crt: readFileSync(at('client.pem')), key: readFileSync(at('client-key.pem')) },
    },
    env: {
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: at('cluster-ca.pem'),
      TEMPORAL_TLS_CLIENT_CERT_PATH: at('client.pem'),
      TEMPORAL_TLS_CLIENT_KEY_PATH: at('client-key.pem'),
    },
    token: (subject, permissions, hours = 1) =>
      execFileSync(
        process.execPath,
        [makeToken, 'token', folder, subject, String(hours), ...permissions],
        QUIET,
      ).trim(),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
