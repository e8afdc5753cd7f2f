import { isKnown, patternOf } from '../../rules/shell/marks.js';
import { type Finding, roundAbility } from './finding.js';
import type { GuardIndex } from './guard-index.js';

const URLS = /\b(?:https?|wss?):(?:\/\/|\\\/\\\/)(?:\[[\da-f:.]+\])?[^\s'"`<>|;)\]}]+/gi;
/** What takes an address without its scheme. */
const CALLERS = /^(curl|curlie|wget2?|https?|xh|xhs|httpie|ab|hey|wrk|nc|ncat|telnet|openssl|grpcurl|websocat)$/;
const LOOPBACK = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\]|\[::ffff:7f00:1\]|0\.0\.0\.0|\[::\])$/;

/** Finds addresses under the endpoints of abilities among words. */
export class RegisteredEndpoints {
  private readonly known: { ability: string; url: URL }[];

  /** @param resolve what an address is that only the environment knows; undefined where it is not set. */
  constructor({ endpoints }: Pick<GuardIndex, 'endpoints'>, resolve: (reference: string) => string | undefined) {
    this.known = endpoints.flatMap(({ ability, url }) => {
      const address = url.startsWith('env:') ? resolve(url) : url;
      return address !== undefined && URL.canParse(address) ? [{ ability, url: new URL(address) }] : [];
    });
  }

  /** @param program what is called with the word, without its folder. */
  find(word: string, program: string): Finding | undefined {
    const texts = [...(word.match(URLS) ?? []).map((url) => url.replaceAll('\\/', '/'))];
    if (CALLERS.test(program) && !word.startsWith('-') && /^[^\s/@:]*[.:\w\]-]+(\/|$|\?|:)/.test(word))
      texts.push(`http://${word}`);
    for (const text of texts) {
      const found = isKnown(text) ? this.byUrl(text) : this.byPattern(text);
      if (found) return roundAbility(`${text} is under the endpoint`, found.ability);
    }
    const host = CALLERS.test(program) ? this.known.find(({ url }) => names(word, url)) : undefined;
    return host && roundAbility(`${word} names the host of the endpoint`, host.ability);
  }

  private byUrl(text: string): { ability: string } | undefined {
    if (!URL.canParse(text)) return undefined;
    const asked = new URL(text);
    return this.known.find(({ url }) => isSameHost(asked, url) && isUnder(pathOf(asked), pathOf(url)));
  }

  private byPattern(text: string): { ability: string } | undefined {
    const pattern = patternOf(text);
    return this.known.find(({ url }) => {
      const base = url.href.replace(/\/$/, '');
      const begin = text.slice(0, text.search(/[\uE000-\uE005]/));
      // The known beginning is under the endpoint, or what is not known may lead there.
      return (
        (begin.length > 8 && (begin === base || begin.startsWith(`${base}/`))) ||
        (begin.length > 12 && pattern.test(base))
      );
    });
  }
}

/** A name of a host that is none of this machine, as in `-H 'Host: ..'` or `--connect-to`. */
function names(word: string, url: URL): boolean {
  const host = url.hostname.toLowerCase();
  if (LOOPBACK.test(host) || pathOf(url) !== '') return false;
  return new RegExp(`(^|[^\\w.-])${host.replace(/[.[\]]/g, '\\$&')}($|[^\\w.-])`).test(word.toLowerCase());
}

function isSameHost(asked: URL, url: URL): boolean {
  const [one, other] = [hostOf(asked), hostOf(url)];
  const isSame = one === other || (LOOPBACK.test(one) && LOOPBACK.test(other));
  // A service on 443 is mostly reached by its 80, too, which leads there.
  return isSame && (asked.port === url.port || (isUsual(asked) && isUsual(url)));
}

function hostOf({ hostname }: URL): string {
  return hostname.toLowerCase().replace(/\.$/, '');
}

function isUsual({ port }: URL): boolean {
  return port === '' || port === '80' || port === '443';
}

/** Without escapes and double slashes, as a server would read it; no slash at its end. */
function pathOf({ pathname }: URL): string {
  let path = pathname;
  try {
    path = decodeURIComponent(pathname);
  } catch {
    // It stays as it is.
  }
  const plain = new URL(`http://x${path.replace(/\/{2,}/g, '/').replace(/[?#]/g, '')}`).pathname;
  return plain.replace(/\/+$/, '');
}

function isUnder(path: string, base: string): boolean {
  return path === base || path.startsWith(`${base}/`);
}
