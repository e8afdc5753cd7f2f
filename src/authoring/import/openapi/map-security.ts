import { isDeepStrictEqual } from 'node:util';
import { freeName } from '../../../text/free-name.js';
import {
  cleanText,
  follow,
  isPart,
  listOf,
  memberOf,
  NotExpressible,
  type Part,
  partOf,
  textOf,
  unlessInexpressible,
} from './follow-reference.js';
import { METHODS } from './methods.js';

interface Access {
  headers: Record<string, string>;
  query: Record<string, string>;
  cookies: Record<string, string>;
  basic?: { user: string; password: string };
  credentials: string[];
  /** Sent as `Authorization: Bearer`, whichever flow or scheme provides the token. */
  isBearer?: true;
}

export interface MappedSecurity {
  headers: Record<string, string>;
  /** The `auth` section; absent: not needed. */
  auth?: { basic?: { user: string; password: string }; query?: Record<string, string> };
  credentials: string[];
  /** Parameters that it sets, so that they are no inputs: `query key`, `header x-key`. */
  given: Set<string>;
}

const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** Maps security schemes and their requirements. Source: docs/imports.md#an-openapi-document. */
export class SecurityReader {
  private readonly schemes = new Map<string, Access | string>();
  /** Notes about the schemes in use, each once. */
  readonly notes = new Set<string>();

  constructor(private readonly document: Part) {
    const listed = partOf(memberOf(memberOf(document, 'components'), 'securitySchemes'));
    const taken = new Set<string>();
    for (const name of Object.keys(listed)) this.schemes.set(name, accessOf(document, name, taken));
    this.shareTokens();
  }

  /** Bearer schemes required together share the first one's credential. Source: RFC 6750, 2.1. */
  private shareTokens(): void {
    const isBearer = (name: string): boolean => {
      const access = this.schemes.get(name);
      return typeof access === 'object' && access.isBearer === true;
    };
    for (const group of groupsWantedTogether(this.document, isBearer)) {
      const [first, ...others] = [...this.schemes.keys()].filter((name) => group.has(name));
      const access = first === undefined ? undefined : this.schemes.get(first);
      if (access !== undefined) for (const name of others) this.schemes.set(name, access);
    }
  }

  /**
   * Takes the first alternative that can be expressed, or no credentials if optional and not required elsewhere.
   * @throws NotExpressible if no alternative can be expressed.
   */
  map(operation: Part, note: (text: string) => void): MappedSecurity {
    const own = memberOf(operation, 'security');
    const alternatives = listOf(own === undefined ? memberOf(this.document, 'security') : own).filter(isPart);
    const isOptional = alternatives.some((one) => Object.keys(one).length === 0);
    const named = alternatives.filter((one) => Object.keys(one).length > 0);
    if (named.length === 0) return noCredentials();
    const reasons: string[] = [];
    for (const alternative of named) {
      const mapped = this.combine(Object.keys(alternative));
      if (typeof mapped === 'string') {
        reasons.push(mapped);
        continue;
      }
      if (isOptional && !this.isNeeded(Object.keys(alternative))) break;
      const others = named.filter((one) => one !== alternative && !this.isSame(one, mapped));
      if (others.length > 0) {
        const shown = others.map((one) => Object.keys(one).join(' with '));
        note(
          `It is called with ${Object.keys(alternative).join(' and ')}; ${[...new Set(shown)].join(', ')} would do as well`,
        );
      }
      this.noteSecrets(Object.keys(alternative));
      return mapped;
    }
    if (!isOptional) throw new NotExpressible([...new Set(reasons)].join('; '));
    note('It is called without credentials, which it allows');
    return noCredentials();
  }

  /** Whether an alternative sends the same, so that there is no choice to report. */
  private isSame(alternative: Part, mapped: MappedSecurity): boolean {
    const other = this.combine(Object.keys(alternative));
    if (typeof other === 'string') return false;
    return isDeepStrictEqual([other.headers, other.auth], [mapped.headers, mapped.auth]);
  }

  /** Whether the whole document requires these schemes, so that every caller has the credentials. */
  private isNeeded(names: string[]): boolean {
    const whole = listOf(memberOf(this.document, 'security')).filter(isPart);
    if (whole.some((one) => Object.keys(one).length === 0)) return false;
    return whole.some((one) => Object.keys(one).length > 0 && Object.keys(one).every((name) => names.includes(name)));
  }

  private combine(names: string[]): MappedSecurity | string {
    const whole: Access = { headers: {}, query: {}, cookies: {}, credentials: [] };
    for (const name of names) {
      const access = this.schemes.get(name) ?? faultOf(name, 'is not defined');
      if (typeof access === 'string') return access;
      if (access.isBearer && whole.isBearer) continue;
      const clash = [
        ...Object.keys(access.headers).filter((header) => hasHeader(whole, header)),
        ...(access.basic && hasHeader(whole, 'Authorization') ? ['Authorization'] : []),
      ];
      if (clash.length > 0)
        return `its security schemes ${names.map((one) => cleanText(one, 60)).join(' and ')} both need ${clash[0]}`;
      Object.assign(whole.headers, access.headers);
      Object.assign(whole.query, access.query);
      Object.assign(whole.cookies, access.cookies);
      if (access.basic) whole.basic = access.basic;
      if (access.isBearer) whole.isBearer = true;
      whole.credentials.push(...access.credentials);
    }
    return mappedOf(whole);
  }

  private noteSecrets(names: string[]): void {
    const tokens = new Map<string, string[]>();
    for (const name of names) {
      const scheme = followed(this.document, name);
      const type = memberOf(scheme, 'type');
      if (type !== 'oauth2' && type !== 'openIdConnect') continue;
      const access = this.schemes.get(name);
      const credential = typeof access === 'object' ? (access.credentials[0] ?? '') : '';
      const flows = Object.keys(partOf(memberOf(scheme, 'flows')));
      const how = flows.length > 0 ? ` (${flows.map((flow) => cleanText(flow, 30)).join(', ')})` : '';
      tokens.set(credential, [...(tokens.get(credential) ?? []), `${cleanText(name, 60)} is ${type}${how}`]);
    }
    for (const [credential, schemes] of tokens) {
      const which = schemes.length > 1 ? 'The schemes' : 'The scheme';
      const one = schemes.length > 1 ? 'one access token for all of them' : 'an access token';
      this.notes.add(
        `${which} ${schemes.join(', ')}: the credential ${credential} must hold ${one}; nothing here fetches or renews one`,
      );
    }
  }
}

function followed(document: Part, name: string): unknown {
  const schemes = memberOf(memberOf(document, 'components'), 'securitySchemes');
  return follow(document, memberOf(schemes, name));
}

/** The same access, with the endpoint's name as a prefix of its credentials. */
export function withOwnCredentials(access: MappedSecurity, endpoint: string): MappedSecurity {
  const own = (name: string): string => `${endpoint.toLowerCase().slice(0, 99 - name.length)}_${name}`;
  const sent = JSON.stringify({ headers: access.headers, auth: access.auth });
  const renamed = sent.replaceAll(/\{credential:([a-z0-9_]*)\}/g, (_, name: string) => `{credential:${own(name)}}`);
  return {
    ...access,
    ...(JSON.parse(renamed) as Pick<MappedSecurity, 'headers' | 'auth'>),
    credentials: access.credentials.map(own),
  };
}

function noCredentials(): MappedSecurity {
  return { headers: {}, credentials: [], given: new Set() };
}

function hasHeader({ headers, basic }: Access, name: string): boolean {
  const names = [...Object.keys(headers), ...(basic ? ['Authorization'] : [])];
  return names.some((known) => known.toLowerCase() === name.toLowerCase());
}

function mappedOf({ headers, query, cookies, basic, credentials }: Access): MappedSecurity {
  const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
  const all = { ...headers, ...(cookie.length > 0 && { Cookie: cookie.join('; ') }) };
  const hasQuery = Object.keys(query).length > 0;
  return {
    headers: all,
    ...((basic || hasQuery) && { auth: { ...(basic && { basic }), ...(hasQuery && { query }) } }),
    credentials: [...new Set(credentials)],
    given: new Set([
      ...Object.keys(headers).map((name) => `header ${name.toLowerCase()}`),
      ...Object.keys(query).map((name) => `query ${name}`),
      ...Object.keys(cookies).map((name) => `cookie ${name}`),
    ]),
  };
}

function accessOf(document: Part, name: string, taken: Set<string>): Access | string {
  const scheme = unlessInexpressible(
    () => followed(document, name),
    (reason) => reason,
  );
  if (scheme instanceof NotExpressible) return scheme.message;
  const type = memberOf(scheme, 'type');
  if (isSigned(name, scheme)) return faultOf(name, 'signs requests as AWS does (SigV4)');
  if (type === 'http') return httpAccess(name, String(memberOf(scheme, 'scheme')).toLowerCase(), taken);
  if (type === 'apiKey') return keyAccess(name, scheme, taken);
  if (type === 'oauth2' || type === 'openIdConnect') return bearer(name, taken);
  if (type === 'mutualTLS') return faultOf(name, 'is mutual TLS');
  return faultOf(name, 'is of a type that is not known');
}

/** Why nothing can be called with a scheme. */
function faultOf(name: string, fault: string): string {
  return `its security scheme ${cleanText(name, 60)} ${fault}`;
}

function isSigned(name: string, scheme: unknown): boolean {
  const said = [memberOf(scheme, 'x-amazon-apigateway-authtype'), name, textOf(memberOf(scheme, 'description'))];
  const isHeader = String(memberOf(scheme, 'name')).toLowerCase() === 'authorization';
  return (
    isHeader &&
    said.some((text) => typeof text === 'string' && /aws.?sig(nature)?.?v?4|sigv4|amazon signature/i.test(text))
  );
}

function httpAccess(name: string, scheme: string, taken: Set<string>): Access | string {
  if (scheme === 'bearer') return bearer(name, taken);
  if (scheme !== 'basic') {
    return faultOf(name, `is HTTP ${cleanText(scheme, 30)}, and basic and bearer can be sent`);
  }
  const [user, password] = [credentialOf('user', name, taken), credentialOf('password', name, taken)];
  const basic = { user: `{credential:${user}}`, password: `{credential:${password}}` };
  return { ...empty([user, password]), basic };
}

function bearer(name: string, taken: Set<string>): Access {
  const credential = credentialOf('token', name, taken);
  return { ...empty([credential]), headers: { Authorization: `Bearer {credential:${credential}}` }, isBearer: true };
}

function keyAccess(name: string, scheme: unknown, taken: Set<string>): Access | string {
  const key = String(memberOf(scheme, 'name'));
  const place = memberOf(scheme, 'in');
  if ((place === 'header' || place === 'cookie') && !TOKEN.test(key)) {
    return faultOf(name, `has a name that no ${place} can have`);
  }
  if (place !== 'header' && place !== 'cookie' && place !== 'query') {
    return faultOf(name, 'does not say where the key goes');
  }
  const credential = credentialOf('key', name, taken);
  const reference = `{credential:${credential}}`;
  const access = empty([credential]);
  if (place === 'header') return { ...access, headers: { [key]: reference } };
  return place === 'cookie' ? { ...access, cookies: { [key]: reference } } : { ...access, query: { [key]: reference } };
}

function empty(credentials: string[]): Access {
  return { headers: {}, query: {}, cookies: {}, credentials };
}

/** `token`, then `<scheme>_token` for further ones, so that a new scheme renames no older credential. */
function credentialOf(kind: string, scheme: string, taken: Set<string>): string {
  const slug = scheme
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .toLowerCase()
    .slice(0, 60);
  const base = taken.has(kind) ? `${/^[a-z]/.test(slug) ? slug : `scheme_${slug}`}_${kind}` : kind;
  const name = freeName(base, (other) => taken.has(other));
  taken.add(name);
  return name;
}

/** Schemes that one requirement lists together; overlapping groups are merged. @param isOfKind which count. */
function groupsWantedTogether(document: Part, isOfKind: (name: string) => boolean): ReadonlySet<string>[] {
  let groups: Set<string>[] = [];
  for (const names of requirementsOf(document)) {
    const set = names.filter(isOfKind);
    if (set.length < 2) continue;
    const touched = groups.filter((group) => set.some((name) => group.has(name)));
    const joined = new Set([...set, ...touched.flatMap((group) => [...group])]);
    groups = [...groups.filter((group) => !touched.includes(group)), joined];
  }
  return groups;
}

function requirementsOf(document: Part): string[][] {
  const operations = Object.values(partOf(memberOf(document, 'paths'))).flatMap((item) =>
    METHODS.map((method) => memberOf(item, method)),
  );
  const sets = [document, ...operations]
    .flatMap((part) => listOf(memberOf(part, 'security')).filter(isPart))
    .map((alternative) => Object.keys(alternative).sort());
  return [...new Map(sets.map((set) => [JSON.stringify(set), set])).values()];
}
