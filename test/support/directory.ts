import type { Role } from '#shared/base/roles.ts';
import type { Services } from '#shared/http/services.ts';
import { applySeed } from '#shared/organizations/seed.ts';

export interface TestMember {
  role: Role;
  key: string;
}

let made = 0;

/** A name that no other test uses. */
export const uniqueName = (prefix: string): string => {
  made += 1;
  return `${prefix}-${process.pid}-${made}`;
};

/** An organization of its own for a test, with one member of each given role and both features unless said. */
export async function organizationWith<R extends Role>(
  services: Pick<Services, 'table' | 'clock'>,
  roles: readonly R[],
  features: readonly string[] = ['controls', 'evaluations'],
): Promise<{ name: string; keys: Record<R, string> }> {
  const name = uniqueName('org');
  const members = roles.map((role) => ({ user: `${name}-${role}`, role, api_key: `key-of-${name}-${role}` }));
  await applySeed(services, { organizations: [{ name, features, members }] });
  const keys = Object.fromEntries(members.map(({ role, api_key }) => [role, api_key])) as Record<R, string>;
  return { name, keys };
}
