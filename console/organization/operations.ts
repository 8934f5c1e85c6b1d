import type { listActions } from '#functions/actions/list-actions.ts';
import type { listEntries } from '#functions/audit/list-entries.ts';
import type { getOrganizationFrequency } from '#functions/flows/get-organization-frequency.ts';
import type { listTrails } from '#functions/trails/list-trails.ts';
import type { setDefaultOrg } from '#functions/user/set-default-org.ts';
import { type AnswerOf, operation } from '../client/operations.ts';

/** Operations of the first page of an organization, and of its audit log. */
export const newestTrails = operation<typeof listTrails>()('GET', '/trails/{org}', 'reader');
export const allActions = operation<typeof listActions>()('GET', '/actions/{org}', 'reader');
export const organizationFrequency = operation<typeof getOrganizationFrequency>()(
  'GET',
  '/organizations/{org}/frequency',
  'reader',
);
/** Operations on people, service accounts, their keys, and the audit log. */
export const auditEntries = operation<typeof listEntries>()('GET', '/audit/{org}', 'admin');
export const setDefaultOrganization = operation<typeof setDefaultOrg>()('PUT', '/user/{org}', 'authenticated');

export type NewestTrail = AnswerOf<typeof listTrails>['data'][number];
export type HomeAction = AnswerOf<typeof listActions>[number];
export type OrganizationFrequency = AnswerOf<typeof getOrganizationFrequency>;
export type AuditEntry = AnswerOf<typeof listEntries>['entries'][number];
