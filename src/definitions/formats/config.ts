import { z } from 'zod';
import { inlineImplementation } from './implementation.js';
import { confinement } from './sandbox.js';
import {
  abilityId,
  environmentName,
  envProfileOf,
  hookBindings,
  jsonObject,
  names,
  optional,
  placementName,
  plainName,
  routingHints,
  seconds,
  secretReference,
  serviceUrl,
  text,
} from './values.js';

/** Settings of an ability in one environment. Source: R-000-53. */
const perEnvironment = z.strictObject({
  default_implementation: optional(plainName, 'The implementation that is used.'),
  allowed_implementations: optional(names.min(1), 'The only implementations that may be used.'),
  defaults: optional(
    jsonObject,
    'Default parameters here; the input overrides them, and they override those of the implementation, key by key.',
  ),
  overridable: optional(
    names,
    'Which parameters callers may set here, instead of those that the implementation lists.',
  ),
  placement: optional(
    placementName,
    '`local`, `cloud` or one of `placements`: where it runs here, instead of its own `placement` or what it needs.',
  ),
  env_profile: optional(plainName, 'The environment of the script here, instead of its own `env_profile`.'),
  timeout_sec: optional(seconds, 'How long a call may take here, instead of the time that the implementation sets.'),
  endpoints: optional(
    z.record(plainName, serviceUrl),
    'Base URLs of an api implementation, by the name in its `endpoint`.',
  ),
  mcp_server: optional(plainName, 'The server of an mcp implementation.'),
  mcp_tool: optional(text, 'The tool of an mcp implementation.'),
  credentials: optional(
    z.record(plainName, secretReference),
    'References to secrets that an api implementation sends.',
  ),
  prompts: optional(
    z.record(plainName, z.string()),
    'Templates or hints for its callers, by name; shown by `show`, never run.',
  ),
  hooks: optional(hookBindings, 'Further hooks that are bound in this environment.'),
});

/** The settings of one ability. Source: R-000-51 to R-000-54, R-002-09, R-002-10. */
export const abilityConfig = z.strictObject({
  id: abilityId.describe('The ability that is configured.'),
  default_implementation: optional(plainName, 'The implementation that is used.'),
  allowed_implementations: optional(names.min(1), 'The only implementations that may be used.'),
  /** Shorthand of Phase 7: the default and only implementation. Source: R-002-09, C-19. */
  impl: optional(inlineImplementation, 'Its implementation, the default and only one.'),
  hooks: optional(hookBindings, 'Further hooks that are bound in all environments.'),
  routing_hints: optional(routingHints, 'Added to those of the ability; helps to find it, and is never a permission.'),
  environments: optional(
    z.record(environmentName, perEnvironment),
    'Settings for one environment, which override all others.',
  ),
});

const envProfile = envProfileOf(secretReference);

const session = optional(
  z.enum(['task', 'shared']),
  '`task`: each task has a session of its own, which ends with it; `shared`, the default: all tasks share one, so its tools must keep no state.',
);

const mcpServer = z.union(
  [
    z.strictObject({
      command: text
        .regex(
          /^(\w+$|\w*[^\w\s])/,
          'A command is one program; set its arguments as a list: `args: [servers/logs.mjs]`',
        )
        .describe('The program that is the server.'),
      args: z.array(z.string()).default([]).describe('Its arguments.'),
      env_profile: optional(plainName, 'Its environment; without it, the profile `default`.'),
      ...confinement,
      session,
    }),
    z.strictObject({
      url: serviceUrl.describe('Where the server is.'),
      headers: z
        .record(z.string(), z.string())
        .default({})
        .describe('Headers of each request; may contain {credential:NAME}.'),
      credentials: z
        .record(plainName, secretReference)
        .default({})
        .describe('References to secrets that the headers name.'),
      session,
    }),
  ],
  'An MCP server has either a `command` or a `url`',
);

const places = {
  endpoints: z.record(plainName, serviceUrl).default({}).describe('Addresses of the service, by name.'),
  credentials: z.record(plainName, secretReference).default({}).describe('References to secrets, by name.'),
};

/** A service that many abilities call: its addresses and credentials in one place. */
const service = z.strictObject({
  ...places,
  /** Overrides by environment, key by key. */
  environments: optional(
    z.record(environmentName, z.strictObject(places)),
    'What is different in an environment, key by key.',
  ),
});

/** `registry/config/*.yaml`: how and where abilities run. Source: R-000-51 to R-000-55, R-002-08. */
export const config = z.strictObject({
  abilities: z.array(abilityConfig).default([]).describe('Settings of abilities.'),
  env_profiles: z.record(plainName, envProfile).default({}).describe('Environments of child processes, by name.'),
  mcp_servers: z.record(plainName, mcpServer).default({}).describe('MCP servers, by name.'),
  services: z
    .record(plainName, service)
    .default({})
    .describe('Services that many abilities call, by name: their endpoints and credentials.'),
});

export type AbilityConfig = z.output<typeof abilityConfig>;

export type EnvProfile = z.output<typeof envProfile>;

export type Service = z.output<typeof service>;

export type McpServer = z.output<typeof mcpServer>;
