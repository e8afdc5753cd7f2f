import { AbilityError, usageError } from '../../../contracts/problem.js';
import { freeName } from '../../../text/free-name.js';
import { cleanText, listOf, memberOf, NotExpressible, type Part, partOf, textOf } from './follow-reference.js';

export interface ServerHints {
  /** Address of the document, the base of relative servers. */
  documentUrl?: string | undefined;
  /** Replaces the servers of the document. */
  server?: string | undefined;
}

/** The endpoints of a document: `default`, and one more for each other server that operations name. */
export class ServerReader {
  readonly endpoints: Record<string, string> = {};
  readonly notes = new Set<string>();

  /** @throws AbilityError `import.no_server` if the document does not name an address of its service. */
  constructor(
    document: Part,
    private readonly hints: ServerHints,
  ) {
    const servers = listOf(memberOf(document, 'servers'));
    const [first, ...others] = hints.server === undefined ? servers : [{ url: hints.server }];
    const url = this.addressOf(first ?? { url: '/' });
    if (typeof url !== 'string') throw noServer(url.reason, hints);
    this.endpoints.default = url;
    if (hints.server === undefined) this.describeGuess(first, url);
    if (others.length > 0) {
      const shown = others.slice(0, 5).map((server) => cleanText(String(memberOf(server, 'url')), 100));
      this.notes.add(
        `Calls go to ${url}, the first of its servers; the others are ${shown.join(', ')}. Choose with --server`,
      );
    }
  }

  /** Notes that an address is guessed if the document does not give it in full. */
  private describeGuess(server: unknown, url: string): void {
    const template = textOf(memberOf(server, 'url'))?.trim();
    if (template !== undefined && URL.canParse(fill(template, server).text)) return;
    const why = template === undefined ? 'names no server' : `has only the relative server ${cleanText(template, 200)}`;
    this.notes.add(
      `The address of the service is guessed: the document ${why}, so calls go to ${url}, on the host it came from. Set it with --server`,
    );
  }

  /** Whether an endpoint is on another host than the default; their secrets must stay apart. */
  isElsewhere(endpoint: string): boolean {
    const { default: usual = '', [endpoint]: other = usual } = this.endpoints;
    return new URL(other).origin !== new URL(usual).origin;
  }

  /** The key of an operation's endpoint. @throws NotExpressible if its own server gives no address. */
  endpointOf(pathItem: Part, operation: Part): string {
    const [own] = [...listOf(memberOf(operation, 'servers')), ...listOf(memberOf(pathItem, 'servers'))];
    if (own === undefined) return 'default';
    const url = this.addressOf(own);
    if (typeof url !== 'string') throw new NotExpressible(`its own server ${url.reason}`);
    const known = Object.entries(this.endpoints).find(([, other]) => other === url);
    if (known) return known[0];
    const key = keyFor(url, this.endpoints);
    this.endpoints[key] = url;
    return key;
  }

  private addressOf(server: unknown): string | { reason: string } {
    const template = textOf(memberOf(server, 'url'))?.trim();
    if (template === undefined) return { reason: 'has no `url`' };
    const { text, filled } = fill(template, server);
    const shown = cleanText(template, 200);
    if (/[{}]/.test(text)) return { reason: `${shown} has variables without a default` };
    const url = parse(text, this.hints);
    if (!url) return { reason: `${shown} is relative, and its base address is not known` };
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return { reason: `${shown} is no http address` };
    if (url.username || url.password) return { reason: `${url.host} has a password in its address` };
    if (url.search || url.hash)
      return { reason: `${shown} has a ${url.search ? 'query' : 'fragment'}, which no endpoint can have` };
    if (filled.length > 0)
      this.notes.add(`${shown} is taken with ${cleanText(filled.join(', '), 200)}. Choose another with --server`);
    return url.href.replace(/\/$/, '');
  }
}

/** Replaces variables by their defaults; those without a default stay. */
function fill(template: string, server: unknown): { text: string; filled: string[] } {
  const variables = partOf(memberOf(server, 'variables'));
  const filled: string[] = [];
  const text = template.replaceAll(/\{([^{}]*)\}/g, (hole, name: string) => {
    const value = memberOf(memberOf(variables, name), 'default');
    if (typeof value !== 'string' && typeof value !== 'number') return hole;
    filled.push(`${name}=${value}`);
    return String(value);
  });
  return { text, filled };
}

function parse(text: string, { documentUrl, server }: ServerHints): URL | undefined {
  for (const base of [undefined, documentUrl, server]) {
    if (URL.canParse(text, base)) return new URL(text, base);
  }
  return undefined;
}

/** Such as `uploads_github_com`: named after the address, independent of the order of operations. */
function keyFor(url: string, taken: Record<string, string>): string {
  const { host, pathname } = new URL(url);
  const slug = `${host}${pathname}`
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 80);
  return freeName(/^[A-Za-z]/.test(slug) ? slug : `at_${slug}`, (key) => Object.hasOwn(taken, key));
}

function noServer(reason: string, { server }: ServerHints): AbilityError {
  if (server !== undefined) {
    return usageError(`--server ${cleanText(server, 200)} is no address of a service: it ${reason}`);
  }
  return new AbilityError({
    code: 'import.no_server',
    message: `The document does not say where its service is: its server ${reason}`,
    suggestion: 'Pass its address: --server https://api.example.com/v1.',
  });
}
