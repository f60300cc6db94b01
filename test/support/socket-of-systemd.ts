/** What systemd does for a socket unit: it listens, and gives the socket to one process after another. Needs Python. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { launcher } from '../cli/run.ts'
import { freePorts } from './ports.ts'
import { repository } from './product.ts'

/** Node would accept the connections itself. Source: sd_listen_fds(3). */
const script = `
import os, signal, socket, sys
listening = socket.create_server(('127.0.0.1', int(sys.argv[1])), backlog=2048)
os.dup2(listening.fileno(), 3)
os.set_inheritable(3, True)
for line in sys.stdin:
    words = line.split()
    if words[0] == 'start':
        pid = os.fork()
        if pid == 0:
            os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1')
            # Node would make the pipe, which both share, one that does not wait.
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.execv(sys.argv[2], sys.argv[2:])
        print(pid, flush=True)
    else:
        os.kill(int(words[1]), getattr(signal, words[0]))
        os.waitpid(int(words[1]), 0)
        print('ended', flush=True)
`

/** @param words of `fundpress` */
export async function startSocket(words: readonly string[]) {
  const port = await freePorts()
  const args = ['-c', script, String(port), process.execPath, launcher, ...words, '--quiet']
  const child = spawn('python3', args, { cwd: repository, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const tell = async (line: string): Promise<string> => {
    child.stdin.write(`${line}\n`)
    const { value } = await lines.next()
    return String(value)
  }
  return {
    base: `http://127.0.0.1:${port}`,
    /** @returns the id of the process */
    start: async () => Number(await tell('start')),
    /** Resolves when it has ended. */
    end: (pid: number, signal: NodeJS.Signals) => tell(`${signal} ${pid}`),
    stop: async () => {
      child.stdin.end()
      if (child.exitCode === null) await once(child, 'close')
    },
  }
}
