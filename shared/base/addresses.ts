import { encodeText } from './well-formed.ts';

/**
 * Returns an absolute address on this service.
 * @param path decoded, as requests carry it
 */
export const absolute = (host: string, path: string): string => host + path.split('/').map(encodeText).join('/');
