import { collect, type Define, examples } from './define-command.js';

/** Defines `ability serve`. */
export function defineServe(define: Define): void {
  define('serve', 'let programs use this project over HTTP', () => import('../commands/serve.js'))
    .option(
      '--host <host>',
      'the address to listen at; beyond this machine it takes a token, and TLS or a proxy',
      '127.0.0.1',
    )
    .option('--port <port>', 'the port; 0 is any that is free', '7230')
    .option('--tls-cert <file>', 'the certificate, PEM')
    .option('--tls-key <file>', 'its key, PEM')
    .option('--behind-proxy <name>', 'the host name under which a proxy that ends TLS is reached')
    .option('--trust-proxy-user <header>', 'on this machine only: the header in which a proxy names who asks')
    .option(
      '--expose <glob>',
      'over MCP: make abilities tools of their own, by their ids; may be given several times',
      collect,
      [],
    )
    .addHelpText(
      'after',
      examples(
        'ability serve',
        'ability serve --host 0.0.0.0 --port 443 --tls-cert cert.pem --tls-key key.pem',
        'ability serve --behind-proxy ability.acme.test',
      ),
    );
}
