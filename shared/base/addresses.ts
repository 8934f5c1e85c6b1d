import { encodeText } from './well-formed.ts';

/** The base path of the API. */
export const BASE_PATH = '/api/v2';

/**
 * Returns an absolute address on this service.
 * @param path decoded, as requests carry it
 */
export const absolute = (host: string, path: string): string => host + path.split('/').map(encodeText).join('/');
