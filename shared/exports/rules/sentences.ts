import { sentence } from '#shared/base/errors.ts';

/** Error sentences of exports. */

export const exportNotFound = sentence(404, 'Export not found');
export const exportErased = sentence(
  410,
  'This export was erased at {at}, because a text that it can hold was erased: {reason}. Start a new export',
);
