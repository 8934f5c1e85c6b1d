import { refusal } from '#test/support/admin.ts';
import type { ApiRequest, TestApi } from '#test/support/api.ts';

export interface SessionJson {
  id: string;
  created_at: number;
  expires_at: number;
  api_key_id: string;
  is_current: boolean;
}

/** Returns a function that starts a session with a key, and returns what a browser would send with it. */
export const signInWith = (api: TestApi) => async (key: string) => {
  const answer = await api.call('POST', '/user/session', { key });
  if (answer.status !== 201) throw new Error(`No session was started: ${answer.text}`);
  const [cookie = '', csrfCookie = ''] = answer.cookies;
  const [sent = '', csrf = ''] = [cookie, csrfCookie].map((one) => one.split(';')[0] ?? '');
  const csrfToken = csrf.slice(csrf.indexOf('=') + 1);
  const call = (method: string, path: string, request: ApiRequest = {}) =>
    api.call(method, path, {
      cookies: [sent, csrf],
      headers: { 'sec-fetch-site': 'same-origin', 'x-csrf-token': csrfToken },
      ...request,
    });
  return {
    session: answer.json as SessionJson,
    cookie,
    csrfCookie,
    csrfToken,
    sent,
    secret: sent.slice(sent.indexOf('=') + 1),
    call,
    get: async (path: string) => refusal(await call('GET', path)),
    status: async () => (await call('GET', '/user')).status,
  };
};
