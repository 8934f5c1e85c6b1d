import type { tagControl as control } from '#functions/tags/tag-control.ts';
import type { tagResource as resource } from '#functions/tags/tag-resource.ts';
import { operation } from '../../client/operations.ts';

/** Operations on tags. Those of controls need another role. */
export const tagResource = operation<typeof resource>()('PATCH', '/tags/{org}/{resource_type}/{resource_id}', 'member');
export const tagControl = operation<typeof control>()('PATCH', '/tags/{org}/control/{resource_id}', 'admin');
