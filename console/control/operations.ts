import type { archiveControl as archive, unarchiveControl as unarchive } from '#functions/controls/archive-control.ts';
import type { createControl as create, updateControl as update } from '#functions/controls/change-control.ts';
import type { listControlVersions } from '#functions/controls/control-versions.ts';
import type { getControl } from '#functions/controls/get-control.ts';
import type { getCoverage } from '#functions/controls/get-coverage.ts';
import type { listControls } from '#functions/controls/list-controls.ts';
import { type AnswerOf, operation } from '../client/operations.ts';

/** Operations on controls. */
export const controls = operation<typeof listControls>()('GET', '/controls/{org}', 'reader');
export const control = operation<typeof getControl>()('GET', '/controls/{org}/{identifier}', 'reader');
export const coverage = operation<typeof getCoverage>()('GET', '/controls/{org}/{identifier}/coverage', 'reader');
export const controlVersions = operation<typeof listControlVersions>()(
  'GET',
  '/controls/{org}/{identifier}/versions',
  'reader',
);
export const createControl = operation<typeof create>()('POST', '/controls/{org}', 'admin');
export const updateControl = operation<typeof update>()('PUT', '/controls/{org}/{identifier}', 'admin');
export const archiveControl = operation<typeof archive>()('POST', '/controls/{org}/{identifier}/archive', 'admin');
export const unarchiveControl = operation<typeof unarchive>()(
  'POST',
  '/controls/{org}/{identifier}/unarchive',
  'admin',
);

export type Control = AnswerOf<typeof getControl>;
export type Coverage = AnswerOf<typeof getCoverage>;
