import type { OrganizationId, PrincipalId } from '#shared/base/ids.ts';
import type { Distrust } from '#shared/http/request.ts';

/** Returns what authentication reads again after a membership changed. @param member undefined if none changed */
export const membershipsOf = ({ id }: { id: OrganizationId }, member: PrincipalId | undefined): Distrust => ({
  members: { org: id, principals: member === undefined ? [] : [member] },
});
