export { Masker } from '../../planning/masking/masker.js';
