import { Agent, request } from 'node:http';

export interface Sent {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  /** Text of a JSON value. */
  json?: string;
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** A client of one server. Its connections stay open, and end with the process. All systems are called with it. */
export interface HttpClient {
  send(sent: Sent): Promise<Answer>;
}

/** @param url the server, such as `http://localhost:8001` */
export function httpClient(url: string): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const { hostname, port } = new URL(url);
  return {
    send: ({ method, path, headers, json }) =>
      new Promise((resolve, reject) => {
        const content = json !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(json),
        };
        const outgoing = request(
          { agent, hostname, port, method, path, headers: { ...headers, ...content } },
          (incoming) => {
            const chunks: Buffer[] = [];
            incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
            incoming.on('error', reject);
            incoming.on('end', () => {
              const text = Buffer.concat(chunks).toString('utf8');
              resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
            });
          },
        );
        outgoing.on('error', reject);
        outgoing.end(json);
      }),
  };
}

/** @throws Error if the answer has another status */
export function expectStatus(status: number, answer: Answer): Answer {
  if (answer.status === status) return answer;
  throw new Error(`The answer is ${answer.status} and not ${status}: ${answer.text.slice(0, 500)}`);
}
