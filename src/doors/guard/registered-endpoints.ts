import { hostname, networkInterfaces } from 'node:os';
import { type Finding, roundAbility } from './finding.js';
import type { GuardIndex } from './guard-index.js';
import { escaped, isKnown, MARK, patternOf } from './shell/marks.js';

const URLS = /\b(?:https?|wss?):(?:\/\/|\\\/\\\/)(?:\[[\da-f:.]+\])?[^\s'"`<>|;)\]}]+/gi;
/** Programs that take an address without its scheme. */
const CALLERS =
  /^(curl|curlie|wget2?|https?|xh|xhs|httpie|ab|hey|wrk|oha|siege|nc|ncat|netcat|telnet|socat|openssl|grpcurl|websocat|aria2c|lynx|w3m|links|elinks|hurl)$/;
/** Programs that connect to a host's port; their words do not include the data they send. */
const SOCKETS = /^(nc|ncat|netcat|telnet|socat|openssl)$/;

interface Endpoint {
  ability: string;
  url: URL;
}

export class RegisteredEndpoints {
  private readonly known: Endpoint[];

  /** @param resolve looks up an address that only the environment knows; undefined if it is not set. */
  constructor({ endpoints }: Pick<GuardIndex, 'endpoints'>, resolve: (reference: string) => string | undefined) {
    this.known = endpoints.flatMap(({ ability, url }) => {
      const address = url.startsWith('env:') ? resolve(url) : url;
      return address !== undefined && URL.canParse(address) ? [{ ability, url: new URL(address) }] : [];
    });
  }

  /** @param program the program called with the word, without its folder. */
  find(word: string, program: string): Finding | undefined {
    // curl expands `{a,b}` and `[1-3]` in an address.
    const given = program === 'curl' ? word.replace(/\{[^}]*\}|\[[\w:-]*-[\w:-]*\]/g, MARK.unknown) : word;
    const texts = [...(given.match(URLS) ?? []).map((url) => url.replaceAll('\\/', '/'))];
    if (CALLERS.test(program)) {
      // HTTPie reads `:80/path` as localhost.
      if (/^:\d*(\/|$)/.test(word)) texts.push(`http://localhost${given}`);
      else if (!word.startsWith('-') && /^[^\s/@:]*[.:\w\]-]+(\/|$|\?|:)/.test(word)) texts.push(`http://${given}`);
    }
    for (const text of texts) {
      const found = isKnown(text) ? this.byUrl(text) : this.byPattern(text);
      if (found) return roundAbility(`${isKnown(text) ? text : word} is under the endpoint`, found.ability);
    }
    return undefined;
  }

  /** As {@link find}, for an endpoint whose host and path or port are in different words of a command. */
  findAmong(words: readonly string[], program: string): Finding | undefined {
    if (!CALLERS.test(program)) return undefined;
    const text = words.slice(1).join(' ');
    const isNamed = SOCKETS.test(program)
      ? (url: URL) => namesHost(text, url) && namesPort(text, url)
      : (url: URL) => namesEndpoint(text, url);
    const found = this.known.find(({ url }) => isNamed(url));
    return found && roundAbility(`${program} names the host of the endpoint`, found.ability);
  }

  /** As {@link find}, for a code that puts an address together. */
  findInCode(code: string): Finding | undefined {
    const found = this.known.find(({ url }) => namesEndpoint(code, url));
    return found && roundAbility(`A code names host and path of the endpoint`, found.ability);
  }

  /** As {@link find}, for `/dev/tcp/HOST/PORT`. */
  findSocket(path: string): Finding | undefined {
    const [, host = '', port = ''] = /^\/dev\/(?:tcp|udp)\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
    if (host === '') return undefined;
    const found = this.known.find(({ url }) => namesHost(host, url) && namesPort(` ${port} `, url));
    return found && roundAbility(`${path} is a connection to the endpoint`, found.ability);
  }

  private byUrl(text: string): Endpoint | undefined {
    if (!URL.canParse(text)) return undefined;
    const requested = new URL(text);
    return this.known.find(({ url }) => isSameHost(requested, url) && isUnder(pathOf(requested), pathOf(url)));
  }

  private byPattern(text: string): Endpoint | undefined {
    const pattern = patternOf(text);
    const begin = text.slice(0, text.search(/[\uE000-\uE008]/));
    return this.known.find(({ url }) => {
      const base = url.href.replace(/\/$/, '');
      // The known beginning is under the endpoint, or the unknown part may lead there.
      return (
        (begin.length > 8 && (begin === base || begin.startsWith(`${base}/`))) ||
        (begin.length > 12 && (pattern.test(base) || fitsParts(text.split('/'), base.split('/'))))
      );
    });
  }
}

function fitsParts(parts: readonly string[], base: readonly string[]): boolean {
  return base.every((part, at) => parts[at] !== undefined && patternOf(parts[at]).test(part));
}

function namesHost(text: string, { hostname }: URL): boolean {
  if (isLoopback(hostname)) return (text.match(/[\w.:[\]-]+/g) ?? []).some((word) => hostsIn(word).some(isThisMachine));
  return new RegExp(`(^|[^\\w.-])${escaped(plainHost(hostname))}($|[^\\w.-])`).test(text.toLowerCase());
}

function namesEndpoint(text: string, url: URL): boolean {
  return namesHost(text, url) && namesPath(text, url) && (!isLoopback(url.hostname) || namesPort(text, url));
}

/** Possible hosts in a word: itself, itself without a port, and its parts. */
function hostsIn(word: string): string[] {
  const parts = word.split(':');
  return [word, word.replace(/:\d*$/, ''), ...parts].filter(
    (part) => part !== '' && part !== ':' && !/^\d*$/.test(part),
  );
}

function namesPort(text: string, url: URL): boolean {
  const ports = isUsual(url) ? ['443', '80', 'https?'] : [url.port];
  return new RegExp(`(^|[^\\w.])(${ports.join('|')})($|[^\\w.])`).test(text);
}

function namesPath(text: string, url: URL): boolean {
  const path = pathOf(url);
  return path === '' || new RegExp(`${escaped(path)}($|[^\\w])`).test(text);
}

function isSameHost(requested: URL, url: URL): boolean {
  const [one, other] = [plainHost(requested.hostname), plainHost(url.hostname)];
  const isSame = one === other || (isLoopback(other) && isThisMachine(one));
  // A service on port 443 usually listens on 80, too, and redirects.
  return isSame && (requested.port === url.port || (isUsual(requested) && isUsual(url)));
}

function isUsual({ port }: URL): boolean {
  return port === '' || port === '80' || port === '443';
}

/** As a server reads it: decoded, without double slashes and without a final slash. */
function pathOf({ pathname }: URL): string {
  let path = pathname;
  try {
    path = decodeURIComponent(pathname);
  } catch {
    // Malformed encoding: the path stays as it is.
  }
  const plain = new URL(`http://x${path.replace(/\/{2,}/g, '/').replace(/[?#]/g, '')}`).pathname;
  return plain.replace(/\/+$/, '');
}

function isUnder(path: string, base: string): boolean {
  return path === base || path.startsWith(`${base}/`);
}

const LOOPBACK =
  /^(localhost(\.localdomain)?|.*\.localhost|ip6-(localhost|loopback)|127(\.\d+){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\]|0\.0\.0\.0|\[::\]|::1?)$/;

/** In lower case, without a final dot. */
function plainHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

/** By a name that every machine has. */
function isLoopback(host: string): boolean {
  return LOOPBACK.test(plainHost(host));
}

/** By a name of loopback, its own name, or one of its addresses. */
function isThisMachine(host: string): boolean {
  const plain = plainHost(host);
  return isLoopback(plain) || ownHosts().has(plain);
}

let own: ReadonlySet<string> | undefined;

function ownHosts(): ReadonlySet<string> {
  if (own) return own;
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const shown = addresses.map(({ family, address }) => (family === 'IPv6' ? `[${address.split('%')[0]}]` : address));
  own = new Set([plainHost(hostname()), ...shown]);
  return own;
}
