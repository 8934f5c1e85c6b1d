import { endpointGroup } from '#shared/http/endpoint.ts';
import { joinOrganization } from './join-organization.ts';
import { leaveOrganization } from './leave-organization.ts';
import { listMembers } from './list-members.ts';
import { putExperimentalFeatures } from './put-experimental-features.ts';
import { putMember } from './put-member.ts';
import { putSignInRules } from './put-sign-in-rules.ts';
import { removeMember } from './remove-member.ts';

export const organizationsGroup = endpointGroup({
  name: 'organizations',
  about: 'Members, invitations, roles, sign-in rules and beta features.',
  endpoints: [
    listMembers,
    putMember,
    removeMember,
    joinOrganization,
    leaveOrganization,
    putExperimentalFeatures,
    putSignInRules,
  ],
});
