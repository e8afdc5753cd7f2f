import { z } from 'zod';
import { inlineImplementation } from './implementation.js';
import { abilityId, environmentName, hookBindings, plainName, secretReference, serviceUrl } from './values.js';

/** Settings of an ability in one environment. Source: R-000-53. */
const perEnvironment = z.strictObject({
  default_implementation: plainName.optional(),
  allowed_implementations: z.array(plainName).min(1).optional(),
  endpoints: z.record(plainName, serviceUrl).optional(),
  mcp_server: plainName.optional(),
  mcp_tool: z.string().min(1).optional(),
  credentials: z.record(plainName, secretReference).optional(),
  prompts: z.record(plainName, z.string()).optional(),
  hooks: hookBindings.optional(),
});

const abilityConfig = z.strictObject({
  id: abilityId,
  default_implementation: plainName.optional(),
  allowed_implementations: z.array(plainName).min(1).optional(),
  /** The Phase 7 shorthand: default and only one. Source: R-002-09, C-19. */
  impl: inlineImplementation.optional(),
  hooks: hookBindings.optional(),
  environments: z.record(environmentName, perEnvironment).optional(),
});

/** What a child process gets as its environment. Source: design, section 4. */
const envProfile = z.strictObject({
  pass: z.array(plainName).default([]),
  set: z.record(plainName, z.string()).default({}),
  secrets: z.record(plainName, secretReference).default({}),
});

/** An MCP server: a command, or a URL. */
const mcpServer = z.union(
  [
    z.strictObject({
      command: z.string().min(1),
      args: z.array(z.string()).default([]),
      env_profile: plainName.optional(),
    }),
    z.strictObject({
      url: serviceUrl,
      headers: z.record(z.string(), z.string()).default({}),
      credentials: z.record(plainName, secretReference).default({}),
    }),
  ],
  'An MCP server has either a `command` or a `url`',
);

const places = {
  endpoints: z.record(plainName, serviceUrl).default({}),
  credentials: z.record(plainName, secretReference).default({}),
};

/** A service that many abilities call: its addresses and credentials, in one place instead of at each ability. */
const service = z.strictObject({
  ...places,
  /** What is different in an environment, key by key. */
  environments: z.record(environmentName, z.strictObject(places)).optional(),
});

/** `registry/config/*.yaml`: how and where abilities run. Source: R-000-51 to R-000-55, R-002-08. */
export const config = z.strictObject({
  abilities: z.array(abilityConfig).default([]),
  env_profiles: z.record(plainName, envProfile).default({}),
  mcp_servers: z.record(plainName, mcpServer).default({}),
  services: z.record(plainName, service).default({}),
});

/** The configuration of one ability. */
export type AbilityConfig = z.output<typeof abilityConfig>;

/** An environment profile as loaded. */
export type EnvProfile = z.output<typeof envProfile>;

/** A service as loaded. */
export type Service = z.output<typeof service>;

/** An MCP server as loaded. */
export type McpServer = z.output<typeof mcpServer>;
