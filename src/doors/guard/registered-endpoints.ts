import { hostname, networkInterfaces } from 'node:os';
import { attempt } from '../../text/attempt.js';
import { escapePattern } from '../../text/escape-pattern.js';
import { type Finding, roundAbility } from './finding.js';
import type { GuardIndex } from './guard-index.js';
import { isKnown, MARK, patternOf } from './shell/marks.js';

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
      const isUnder = isKnown(text) ? underUrl(text) : underPattern(text);
      const found = this.first(isUnder, `${isKnown(text) ? text : word} is under the endpoint`);
      if (found) return found;
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
    return this.first(isNamed, `${program} names the host of the endpoint`);
  }

  /** As {@link find}, for a code that puts an address together. */
  findInCode(code: string): Finding | undefined {
    return this.first((url) => namesEndpoint(code, url), 'A code names host and path of the endpoint');
  }

  /** As {@link find}, for `/dev/tcp/HOST/PORT`. */
  findSocket(path: string): Finding | undefined {
    const [, host = '', port = ''] = /^\/dev\/(?:tcp|udp)\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
    const isNamed = (url: URL): boolean => namesHost(host, url) && namesPort(` ${port} `, url);
    return host === '' ? undefined : this.first(isNamed, `${path} is a connection to the endpoint`);
  }

  private first(isNamed: (url: URL) => boolean, what: string): Finding | undefined {
    const found = this.known.find(({ url }) => isNamed(url));
    return found && roundAbility(what, found.ability);
  }
}

/** Whether an endpoint contains an address. */
function underUrl(text: string): (url: URL) => boolean {
  if (!URL.canParse(text)) return () => false;
  const requested = new URL(text);
  const path = pathOf(requested);
  return (url) => isSameHost(requested, url) && `${path}/`.startsWith(`${pathOf(url)}/`);
}

/** The same for an address with unknown parts: its beginning is under the endpoint, or an unknown part may lead there. */
function underPattern(text: string): (url: URL) => boolean {
  const pattern = patternOf(text);
  const begin = text.slice(0, text.search(/[\uE000-\uE008]/));
  const parts = text.split('/');
  return (url) => {
    const base = url.href.replace(/\/$/, '');
    if (begin.length > 8 && `${begin}/`.startsWith(`${base}/`)) return true;
    const fits = (part: string, at: number): boolean => parts[at] !== undefined && patternOf(parts[at]).test(part);
    return begin.length > 12 && (pattern.test(base) || base.split('/').every(fits));
  };
}

function namesHost(text: string, { hostname }: URL): boolean {
  if (isLoopback(hostname)) return (text.match(/[\w.:[\]-]+/g) ?? []).some((word) => hostsIn(word).some(isThisMachine));
  return new RegExp(`(^|[^\\w.-])${escapePattern(plainHost(hostname))}($|[^\\w.-])`).test(text.toLowerCase());
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
  return path === '' || new RegExp(`${escapePattern(path)}($|[^\\w])`).test(text);
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
  const path = attempt(() => decodeURIComponent(pathname), pathname);
  const plain = new URL(`http://x${path.replace(/\/{2,}/g, '/').replace(/[?#]/g, '')}`).pathname;
  return plain.replace(/\/+$/, '');
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
  return isLoopback(plain) || (own ??= ownHosts()).has(plain);
}

let own: ReadonlySet<string> | undefined;

function ownHosts(): ReadonlySet<string> {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const shown = addresses.map(({ family, address }) => (family === 'IPv6' ? `[${address.split('%')[0]}]` : address));
  return new Set([plainHost(hostname()), ...shown]);
}
