import { sentence } from '#shared/base/errors.ts';

/** Error sentences of exports. */

export const exportNotFound = sentence(404, 'Export not found');
