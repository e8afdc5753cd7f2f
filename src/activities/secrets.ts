/** Re-exported for rooms that may not import planning. */
export { EnvironmentVariables, SecretSource } from '../planning/secrets/secret-source.js';
