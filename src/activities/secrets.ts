export { EnvironmentVariables } from '../planning/environment-variables.js';
export { SecretSource } from '../planning/secret-source.js';
