import type { OrganizationId } from '#shared/base/ids.ts';
import { type Micros, micros } from '#shared/base/time.ts';

/** The organizations whose logs a container has compared with the bucket and the witnesses. */
export class GuardedLogs {
  readonly #until = new Map<OrganizationId, Micros>();

  has(org: OrganizationId, now: Micros): boolean {
    return (this.#until.get(org) ?? 0) > now;
  }

  /** @param until when the log has to be compared again; without a time never */
  add(org: OrganizationId, until: Micros = micros(Number.POSITIVE_INFINITY)): void {
    if (this.#until.size >= MEMORY_LIMIT) this.#until.clear();
    this.#until.set(org, until);
  }
}

/** A container remembers this many logs, in about 20 MB. */
const MEMORY_LIMIT = 100_000;
