import type { Configuration, IDToken } from 'openid-client';
import type { OidcIdentity } from '../../../contracts/access.js';
import { AbilityError, reasonOf } from '../../../contracts/problem.js';
import { oneLine } from '../../../rules/shown-text.js';

/** How `ability serve` reaches an OpenID provider. Source: docs/sign-in.md. */
export interface OidcSettings {
  issuer: URL;
  clientId: string;
  /** Undefined: a public client, which PKCE alone protects. */
  secret: string | undefined;
  /** The claim with the names of groups; undefined: no one has groups. */
  groups: string | undefined;
  /** The claim with the name of the person. */
  name: string;
  scope: string;
}

/** What a browser keeps between the way to the provider and the way back. */
export interface Attempt {
  state: string;
  nonce: string;
  verifier: string;
  /** The path of the page that was wanted. */
  to: string;
}

/** Why no one was signed in: they may not or did not want to; too late, or not from here; no usable name; anything else. */
export type SignInFailure = 'refused' | 'late' | 'name' | 'failed';

/** A sign-in that failed. `message` is for the operator. */
export class SignInError extends Error {
  constructor(
    readonly why: SignInFailure,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** A door that signs people in with an OpenID provider. */
export interface OidcDoor {
  provider: OidcProvider;
  /** The name of the provider, for people. */
  name: string;
  /** The origin that browsers see; undefined: as the request names the host. */
  origin: string | undefined;
  /** How long a person stays signed in, in milliseconds. */
  sessionMs: number;
}

const MAX_NAME = 100;
const MAX_GROUPS = 1000;
const TIMEOUT_S = 10;

/** An OpenID provider, for the authorization code flow with PKCE. Sources: OpenID Connect Core 1.0, 3.1; RFC 7636. */
export class OidcProvider {
  private constructor(
    private readonly client: typeof import('openid-client'),
    private readonly config: Configuration,
    private readonly settings: OidcSettings,
  ) {}

  /** @throws AbilityError `door.no_provider` if it does not describe itself under its address. */
  static async find(settings: OidcSettings): Promise<OidcProvider> {
    const { issuer, clientId, secret } = settings;
    const client = await import('openid-client');
    const execute = [client.enableNonRepudiationChecks];
    if (issuer.protocol === 'http:') execute.push(client.allowInsecureRequests);
    const how = secret === undefined ? client.None() : client.ClientSecretPost(secret);
    try {
      const config = await client.discovery(issuer, clientId, undefined, how, { execute, timeout: TIMEOUT_S });
      return new OidcProvider(client, config, settings);
    } catch (error) {
      throw new AbilityError(
        {
          code: 'door.no_provider',
          message: `The OpenID provider ${issuer.href} cannot be used: ${chainOf(error)}`,
          suggestion: 'Compare --oidc-issuer with `issuer` in its /.well-known/openid-configuration.',
        },
        { cause: error },
      );
    }
  }

  /** @param to the path of the page that is wanted. @param redirect the address that the provider sends the browser back to. */
  async begin(to: string, redirect: string): Promise<{ attempt: Attempt; url: string }> {
    const { client, config, settings } = this;
    const attempt = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      to,
    };
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: redirect,
      scope: settings.scope,
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
    });
    return { attempt, url: url.href };
  }

  /** Exchanges the code of a browser that came back to `url`. @throws SignInError. */
  async finish(url: URL, { state, nonce, verifier }: Attempt): Promise<{ person: string; oidc: OidcIdentity }> {
    const { client, config } = this;
    if (url.searchParams.get('state') !== state)
      throw new SignInError('late', 'the browser did not begin this sign-in');
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
    const answer = await client.authorizationCodeGrant(config, url, checks).catch((error: unknown) => {
      const isDenied = error instanceof client.AuthorizationResponseError && error.error === 'access_denied';
      throw new SignInError(isDenied ? 'refused' : 'failed', chainOf(error), error);
    });
    const claims = answer.claims();
    if (!claims) throw new SignInError('failed', 'the provider answered without an ID token');
    return { person: this.nameIn(claims), oidc: this.identityIn(claims) };
  }

  /** Where the provider ends its own session; undefined if it says nothing about that. */
  endUrl(): string | undefined {
    if (this.config.serverMetadata().end_session_endpoint === undefined) return undefined;
    return this.client.buildEndSessionUrl(this.config, {}).href;
  }

  private nameIn(claims: IDToken): string {
    const { name: claim } = this.settings;
    const name = claims[claim];
    if (
      typeof name !== 'string' ||
      name.trim() !== name ||
      name === '' ||
      name.length > MAX_NAME ||
      oneLine(name) !== name
    ) {
      throw new SignInError('name', `the claim ${claim} has no name of 1 to ${MAX_NAME} characters on one line`);
    }
    // An address that was not checked may be that of somebody else.
    if (claim === 'email' && claims.email_verified !== true) {
      throw new SignInError('name', `the provider does not say that it checked the address ${name}`);
    }
    return name;
  }

  /** @throws SignInError: a provider that leaves out groups for their number would make people members of nothing. */
  private identityIn(claims: IDToken): OidcIdentity {
    const { groups: claim } = this.settings;
    const { iss: issuer, sub: subject, _claim_names: elsewhere } = claims;
    if (claim === undefined) return { issuer, subject, groups: [] };
    const given = claims[claim] ?? [];
    const isElsewhere = typeof elsewhere === 'object' && elsewhere !== null && claim in elsewhere;
    const isList = Array.isArray(given) && given.every((group) => typeof group === 'string');
    if (isElsewhere || !isList || given.length > MAX_GROUPS) {
      throw new SignInError('failed', `the claim ${claim} is no list of at most ${MAX_GROUPS} names of groups`);
    }
    return { issuer, subject, groups: given };
  }
}

/** The innermost cause says what happened. */
function chainOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  const inner = cause instanceof Error ? `: ${cause.message}` : '';
  return oneLine(`${reasonOf(error)}${inner}`);
}
