import type { OrganizationId } from '#shared/base/ids.ts';

/**
 * What the table or the bucket has of a log does not lead to the published checkpoint (rules/log.md#continuity). Nothing of
 * this log is appended or signed until an operator mended it.
 */
export class LogDiffers extends Error {
  constructor(org: OrganizationId, what: string, options?: ErrorOptions) {
    super(`The log of organization ${org} differs from what was published: ${what}`, options);
    this.name = 'LogDiffers';
  }
}
