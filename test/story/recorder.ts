import { createServer, request } from 'node:http';
import { close, listen, portOf } from '#infra/local/ports.ts';

/** A door in front of a stack that notes what goes through it. */
export interface Recorder {
  url: string;
  /** `GET /ready 200` for every request since the last look, in the order of the answers. */
  take(): string[];
  stop(): Promise<void>;
}

/** Hands every request on as it is, once, and notes the answer's status before the client can see it. */
export async function startRecorder(target: string): Promise<Recorder> {
  let noted: string[] = [];
  const server = createServer((asked, answer) => {
    const { method, url, headers } = asked;
    const onward = request(new URL(target), { method, path: url, headers }, (answered) => {
      const status = answered.statusCode ?? 0;
      noted.push(`${method} ${url} ${status}`);
      answer.writeHead(status, answered.headers);
      answered.pipe(answer);
    });
    onward.on('error', (error) => {
      noted.push(`${method} ${url} ${error.message}`);
      answer.destroy();
    });
    asked.pipe(onward);
  });
  await listen(server, 0, '127.0.0.1');
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    take: () => {
      const taken = noted;
      noted = [];
      return taken;
    },
    stop: () => close(server),
  };
}
