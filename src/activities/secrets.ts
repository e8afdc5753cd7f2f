export { EnvironmentVariables, SecretSource } from '../planning/secrets/secret-source.js';
