import { useQuery } from '@tanstack/react-query';
import { call, forgetAnswers } from './call.ts';
import type { Operation } from './operations.ts';
import { queryClient, read } from './query-client.ts';

export interface OrganizationOfUser {
  name: string;
  kind: 'personal' | 'shared';
  role: 'reader' | 'member' | 'admin';
  features: Record<string, boolean>;
}

export interface User {
  id: string;
  name: string;
  kind: 'user' | 'service-account';
  organizations: OrganizationOfUser[];
  has_more_organizations: boolean;
  default_org_name: string;
  credential: { kind: 'api_key' | 'session'; id: string; api_key_id: string; expires_at: number };
}

export interface Session {
  id: string;
  created_at: number;
  expires_at: number;
}

/** Operations on the caller and on sessions. */
export const user: Operation<object, object, undefined, User> = { method: 'GET', path: '/user', access: 'authenticated' };
export const sessions: Operation<object, object, undefined, Session[]> = {
  method: 'GET',
  path: '/user/sessions',
  access: 'authenticated',
};
const startSession: Operation<object, object, undefined, Session> = {
  method: 'POST',
  path: '/user/session',
  access: 'authenticated',
};
const endSession: Operation<object, object, undefined, 'ended'> = {
  method: 'DELETE',
  path: '/user/session',
  access: 'authenticated',
};
export const endListedSession: Operation<{ session_id: string }, object, undefined, 'ended'> = {
  method: 'DELETE',
  path: '/user/sessions/{session_id}',
  access: 'authenticated',
};

/** The caller and the organizations; undefined until the answer is there, or without a session. */
export const useUser = (): User | undefined => useQuery({ ...read(user, {}), staleTime: 60_000 }).data;

/** The role and the features of the caller in an organization; undefined until they are known. */
export const useOrganization = (name: string | undefined): OrganizationOfUser | undefined =>
  useUser()?.organizations.find((organization) => organization.name === name);

const RANKS = ['reader', 'member', 'admin'];

/** Whether the caller may do what needs a role. The service decides again; this only hides what would be refused. */
export function useMay(org: string, access: string): boolean {
  const role = useOrganization(org)?.role;
  return role !== undefined && RANKS.indexOf(role) >= RANKS.indexOf(access);
}

/** Starts a session with a key. The browser keeps the cookie, which no script can read, and forgets the key. */
export async function signIn(key: string): Promise<void> {
  await call(startSession, {}, {}, undefined, { headers: { authorization: `Bearer ${key}` } });
  await freshStart();
}

export async function signOut(): Promise<void> {
  await call(endSession, {}, {});
  forgetAnswers();
  queryClient.clear();
}

/** Answers of another caller are not shown, and failed reads are repeated. */
async function freshStart(): Promise<void> {
  forgetAnswers();
  await queryClient.invalidateQueries();
}

/** Starts a session with the one-time token that a local stack prints. */
export async function signInOnce(token: string): Promise<void> {
  await call(startSession, {}, {}, undefined, { headers: { authorization: `Bearer ${token}` } });
  await freshStart();
}
