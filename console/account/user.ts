import { useQuery } from '@tanstack/react-query';
import type { startSignIn } from '#functions/sign-in/start-sign-in.ts';
import type { endListedSession as endListed } from '#functions/user/end-listed-session.ts';
import type { endSession as end } from '#functions/user/end-session.ts';
import type { getUser } from '#functions/user/get-user.ts';
import type { listSessions } from '#functions/user/list-sessions.ts';
import type { startSession as start } from '#functions/user/start-session.ts';
import { call, forgetAnswers } from '../client/call.ts';
import { type AnswerOf, addressOf, operation } from '../client/operations.ts';
import { queryClient, read } from '../client/query-client.ts';

type User = AnswerOf<typeof getUser>;
type OrganizationOfUser = User['organizations'][number];
export type Session = AnswerOf<typeof listSessions>[number];

/** Operations on the caller and on sessions. */
export const user = operation<typeof getUser>()('GET', '/user', 'authenticated');
export const sessions = operation<typeof listSessions>()('GET', '/user/sessions', 'authenticated');
const startSession = operation<typeof start>()('POST', '/user/session', 'authenticated');
const endSession = operation<typeof end>()('DELETE', '/user/session', 'authenticated');
export const endListedSession = operation<typeof endListed>()('DELETE', '/user/sessions/{session_id}', 'authenticated');

const startOfSignIn = operation<typeof startSignIn>()('GET', '/user/sign-in', 'public');

/**
 * The issuer of the provider that people sign in with; null if there is none, undefined until the answer is there. Without an
 * answer, the form for a key must not wait for repetitions.
 */
export function useIssuer(): string | null | undefined {
  const { data, isError } = useQuery({ ...read(startOfSignIn, {}), staleTime: Number.POSITIVE_INFINITY, retry: false });
  return isError ? null : data?.issuer;
}

/** Leaves the console for the provider, which sends the browser back to a page. */
export const signInAtProvider = (next: string): void => location.assign(addressOf(startOfSignIn.path, {}, { next }));

/** The caller does not change often. */
export const readUser = () => ({ ...read(user, {}), staleTime: 60_000 });

/** The caller and the organizations; undefined until the answer is there, or without a session. */
export const useUser = (): User | undefined => useQuery(readUser()).data;

/** The role and the features of the caller in an organization; undefined until they are known. */
export const useOrganization = (name: string | undefined): OrganizationOfUser | undefined =>
  useUser()?.organizations.find((organization) => organization.name === name);

const RANKS = ['reader', 'snapshotter', 'member', 'admin'];

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

/** Lets the session of a sign-in last another hour. */
export async function renewSession(): Promise<void> {
  await call(startSession, {}, {});
  await queryClient.invalidateQueries({ queryKey: [user.path] });
}

/** Answers of another caller are not shown, and failed reads are repeated. */
async function freshStart(): Promise<void> {
  forgetAnswers();
  await queryClient.invalidateQueries();
}

/** Starts a session with the one-time token that a local stack prints. */
export async function signInOnce(token: string): Promise<void> {
  await call(startSession, {}, {}, undefined, { headers: { authorization: `once ${token}` } });
  await freshStart();
}
