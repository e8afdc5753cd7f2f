import { type Commands, declare, type FlagsOf, repeatable } from './declare-command.js';

const keys = () => ({
  create: declare(
    'create',
    'make a key that seals plans, encrypts payloads, or proves a door; it is shown once, and kept nowhere',
    'export ABILITY_SEAL_KEYS="$(ability keys create)"',
    'ability keys create --add   # to rotate: docs/operations.md, "Rotating seal keys"',
  )
    .option('--id <id>', 'what the key is called (default: from the time)')
    .option('--payload', 'for ABILITY_PAYLOAD_KEYS, which encrypt what reaches Temporal and the store')
    .option('--add', 'print the keys of the variable with the new one behind them, to rotate')
    .option('--for-door', 'instead a key for ABILITY_DOOR_KEY, with which a door signs who decides'),
  rotate: declare(
    'rotate',
    'print the keys of the variable with the last one first, once they are set everywhere',
    'export ABILITY_SEAL_KEYS="$(ability keys rotate)"',
  ).option('--payload', 'those of ABILITY_PAYLOAD_KEYS'),
});

const tokens = () => ({
  create: declare(
    'create',
    'make a token; it is shown once, and only its hash is kept',
    'ability token create --person alice --can read,run,approve --expires 90d',
    'ability token create --agent reviewer --person alice --can read,run --expires 7d',
    'ability token create --person bob --can read,run --environments dev,staging --abilities "report.*"',
  )
    .requiredOption('--person <name>', 'the person in whose name it is used')
    .option('--agent <name>', 'it is of an agent that acts for that person; it never approves')
    .option('--can <rights>', 'what it allows, of read, run and approve, with commas between', 'read')
    .option('--environments <globs>', 'only there, with commas between')
    .option('--abilities <globs>', 'only for these ids, with commas between, such as "report.*,db.read"')
    .option('--expires <duration>', 'how long it holds, at most 366d', '90d'),
  list: declare(
    'list',
    'list the tokens, without what they open with',
    'ability token list',
    'ability token list --json',
  ),
  revoke: declare('revoke <id>', 'end a token at once and for good', 'ability token revoke 3f9a1c20b7de4410'),
});

const access = () => ({
  login: declare(
    'login',
    'sign in at a door of `ability serve`: a person confirms a code on its page',
    'ability login --door https://ability.acme.test',
  ).option(
    '--expires <duration>',
    'sign out by itself after this time, at most 12h (default: 12h, or with the session)',
  ),
  logout: declare(
    'logout',
    'sign out at a door: ends the token of `ability login`',
    'ability logout --door https://ability.acme.test',
  ),
  serve: declare(
    'serve',
    'let programs use this project over HTTP',
    'ability serve',
    'ability serve --host 0.0.0.0 --port 443 --tls-cert cert.pem --tls-key key.pem',
    'ability serve --behind-proxy ability.acme.test',
    'ability serve --behind-proxy ability.acme.test --oidc-issuer https://id.acme.test --oidc-client ability   # docs/sign-in.md',
  )
    .option(
      '--host <host>',
      'the address to listen at; beyond this machine it takes a token, and TLS or a proxy',
      '127.0.0.1',
    )
    .option('--port <port>', 'the port; 0 is any that is free', '7230')
    .option('--tls-cert <file>', 'the certificate, PEM')
    .option('--tls-key <file>', 'its key, PEM')
    .option('--behind-proxy <name>', 'the host name under which a proxy that ends TLS is reached')
    .option('--trust-proxy-user <header>', 'on this machine only: the header in which a proxy names who asks')
    .option('--oidc-issuer <url>', 'the OpenID provider that signs people in')
    .option('--oidc-client <id>', 'the id of this door at the provider')
    .option('--oidc-secret <reference>', 'its secret, as env:NAME or file:PATH; a public client has none')
    .option('--oidc-groups <claim>', 'the claim with the groups of a person')
    .option('--oidc-name <claim>', 'the claim with the name of a person (default: preferred_username)')
    .option('--oidc-scope <scopes>', 'what to ask the provider for (default: openid profile email)')
    .option('--oidc-session <duration>', 'how long a person stays signed in (default: 8h)')
    .addOption(
      repeatable(
        '--expose <glob>',
        'over MCP: make abilities tools of their own, by their ids; may be given several times',
      ),
    ),
});

export type KeyFlags = FlagsOf<typeof keys>;
export type TokenFlags = FlagsOf<typeof tokens>;
export type AccessFlags = FlagsOf<typeof access>;

export function addAccess(commands: Commands): void {
  const { group, all, add } = commands;
  const keyring = group('keys', 'make and rotate keys that seal plans or encrypt payloads', 'ability keys create');
  keyring.all(keys(), () => import('../commands/keys.js'));
  const token = group(
    'token',
    'make, list and revoke tokens of people and agents',
    'ability token create --person alice --can read,run,approve',
    'ability token list',
  );
  token.all(tokens(), () => import('../commands/token.js'));
  const { serve, ...logins } = access();
  all(logins, () => import('../commands/login.js'));
  add(serve, () => import('../commands/serve.js'));
}
