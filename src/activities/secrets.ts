export { SecretSource } from '../planning/secret-source.js';
