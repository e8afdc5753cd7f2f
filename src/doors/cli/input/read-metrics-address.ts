import { isIP } from 'node:net';
import { AbilityError } from '../../../contracts/problem.js';

const ADDRESS = /^(?:\[([0-9a-f:.]+)\]|([0-9.]+|localhost)):(\d{1,5})$/i;
const MOST_PORT = 65_535;

/**
 * The address at which a worker serves its figures: `IP:PORT`, `[IPv6]:PORT` or `localhost:PORT`.
 *
 * @throws AbilityError `usage.invalid`.
 */
export function readMetricsAddress(text: string): string {
  const [, six, four, port] = ADDRESS.exec(text) ?? [];
  const host = four?.toLowerCase() === 'localhost' ? '127.0.0.1' : (four ?? six ?? '');
  const isPort = Number(port) >= 1 && Number(port) <= MOST_PORT;
  if (isIP(host) !== 0 && isPort) return six === undefined ? `${host}:${port}` : `[${host}]:${port}`;
  throw new AbilityError({
    code: 'usage.invalid',
    message: `--metrics ${JSON.stringify(text)} is no address to listen at`,
    suggestion: 'Give an IP address and a port, such as 127.0.0.1:9464; anyone who reaches it can read it.',
  });
}
