export { EnvironmentVariables } from '../planning/secrets/environment-variables.js';
export { SecretSource } from '../planning/secrets/secret-source.js';
