import { createServer, request } from 'node:http';
import { close, listen, portOf } from '#infra/local/ports.ts';

/** A proxy in front of a stack that records the requests. */
export interface Recorder {
  url: string;
  /** `GET /ready 200` for every request since the last call, in the order of the answers. */
  take(): string[];
  stop(): Promise<void>;
}

/**
 * Starts a proxy that forwards each request once and records the status of its answer before the client sees it.
 *
 * @param target address of the stack
 */
export async function startRecorder(target: string): Promise<Recorder> {
  let recorded: string[] = [];
  const server = createServer((asked, answer) => {
    const { method, url, headers } = asked;
    const onward = request(new URL(target), { method, path: url, headers }, (answered) => {
      const status = answered.statusCode ?? 0;
      recorded.push(`${method} ${url} ${status}`);
      answer.writeHead(status, answered.headers);
      answered.pipe(answer);
    });
    onward.on('error', (error) => {
      recorded.push(`${method} ${url} ${error.message}`);
      answer.destroy();
    });
    asked.pipe(onward);
  });
  await listen(server, 0, '127.0.0.1');
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    take: () => {
      const taken = recorded;
      recorded = [];
      return taken;
    },
    stop: () => close(server),
  };
}
