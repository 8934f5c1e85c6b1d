import type { Context } from 'aws-lambda';
import { groups } from '#functions/groups.ts';
import type { Services } from '#functions/services.ts';
import { BASE_PATH } from '#shared/base/addresses.ts';
import { type Log, writeToLog } from '#shared/base/log-lines.ts';
import type { Micros } from '#shared/base/time.ts';
import { type GroupHandler, groupHandler } from '#shared/http/lambda.ts';
import { toEvent } from '../gateway/payload-event.ts';

/** The content of a request: a JSON document, or a form of a document and files. */
type DemoBody = { json: unknown } | { part: string; document: unknown; files?: DemoFiles };

/** Files of a form by the names of their parts: a text, which has the name of its part, or a file with a name of its own. */
export type DemoFiles = Readonly<Record<string, string | { name: string; content: string | Uint8Array<ArrayBuffer> }>>;

const JSON_TYPE = 'application/json; charset=utf-8';

/** Keeps the lines of successful requests out of the terminal. */
const onlyErrors: Log = (entry) => {
  if (entry.level === 'ERROR') writeToLog(entry);
};

/** Calls the handlers of the endpoints without HTTP, with the events that the gateway makes. */
export class DemoClient {
  readonly #handler: GroupHandler;
  readonly #now: () => Micros;
  #requests = 0;

  /** @param services with the clock of the demo data */
  constructor(services: Services) {
    const endpoints = groups.flatMap((group) => group.endpoints);
    this.#handler = groupHandler({ name: 'demo', endpoints }, services, { log: onlyErrors });
    this.#now = () => services.clock.now();
  }

  /** How many requests were accepted. */
  get requests(): number {
    return this.#requests;
  }

  /**
   * Makes a request.
   *
   * @param key the secret of the caller's API key
   * @param path below `/api/v2`
   * @returns the parsed answer
   * @throws Error if the answer is a refusal
   */
  async send(key: string, method: string, path: string, body?: DemoBody): Promise<unknown> {
    const { contentType, bytes } = await encoded(body);
    const target = BASE_PATH + path;
    const event = toEvent(
      {
        method,
        target,
        headers: { authorization: [`Bearer ${key}`], 'content-type': [contentType] },
        body: bytes,
        sourceIp: '127.0.0.1',
        httpVersion: '1.1',
        requestId: `demo-${this.#requests + 1}`,
        at: Math.floor(this.#now() / 1000),
      },
      { path: decodeURIComponent(target), query: '' },
      undefined,
    );
    // Handlers of groups read nothing of the context.
    const { statusCode, body: text = '' } = await this.#handler(event, {} as Context);
    if (statusCode >= 300)
      throw new Error(`${method} ${path} of the demo data was answered with ${statusCode}: ${text}`);
    this.#requests += 1;
    return JSON.parse(text);
  }
}

async function encoded(body: DemoBody | undefined): Promise<{ contentType: string; bytes: Buffer }> {
  if (!body) return { contentType: JSON_TYPE, bytes: Buffer.from('null') };
  if ('json' in body) return { contentType: JSON_TYPE, bytes: Buffer.from(JSON.stringify(body.json)) };
  const form = new FormData();
  form.append(body.part, JSON.stringify(body.document));
  for (const [part, file] of Object.entries(body.files ?? {})) {
    const { name, content } = typeof file === 'string' ? { name: part, content: file } : file;
    form.append(part, new Blob([content]), name);
  }
  const request = new Response(form);
  const contentType = request.headers.get('content-type') ?? '';
  return { contentType, bytes: Buffer.from(await request.arrayBuffer()) };
}
