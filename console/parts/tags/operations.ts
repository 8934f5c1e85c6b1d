import type { tagResource as resource } from '#functions/tags/tag-resource.ts';
import { operation } from '../../client/operations.ts';

/** Operations on tags. Those of controls need another role. */
export const tagResource = operation<typeof resource>()('PATCH', '/tags/{org}/{resource_type}/{resource_id}', 'member');
