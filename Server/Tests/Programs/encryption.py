"""Runs testssl.sh against the server's own TLS. Accepts only the findings in ACCEPTED."""
import json
import shutil
import subprocess

from running import Server, require

ACCEPTED = (
    # The certificate of the test is self-signed.
    "cert_", "overall_grade", "final_score", "grade_cap", "DNS_CAArecord", "certificate_transparency", "OCSP_",
    # Every cipher suite on offer is good, so the client may choose the one that is fastest for it.
    "cipher_order",
    # The OpenSSL with which testssl.sh tests lacks an engine for GOST, which the server does not offer.
    "engine_problem",
)


def main():
    program = shutil.which("testssl") or shutil.which("testssl.sh")
    require(program, "testssl.sh is missing; install Debian's package testssl.sh.")
    with Server() as plain:
        folder = plain.folder
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", "key.pem", "-out",
             "chain.pem"], cwd=folder, check=True, capture_output=True)
        (folder / "key.pem").chmod(0o600)
        with Server("--host-name", "localhost", "--tls-certificate", str(folder / "chain.pem"), "--tls-key", str(folder / "key.pem")) as server:
            report = folder / "report.json"
            subprocess.run(
                [program, "--quiet", "--color", "0", "--warnings", "off", "--ip", "one", "--jsonfile", str(report),
                 f"https://localhost:{server.port}/healthz"], cwd=folder, capture_output=True, stdin=subprocess.DEVNULL)
            findings = json.loads(report.read_text())
            bad = [finding for finding in findings if finding["severity"] in ("LOW", "MEDIUM", "HIGH", "CRITICAL", "FATAL", "WARN")
                   and not finding["id"].startswith(ACCEPTED)]
            require(not bad, *(f"\n  {finding['id']}: {finding['severity']} {finding['finding']}" for finding in bad))
            offered = {finding["id"]: finding["finding"] for finding in findings}
            for version in ("SSLv2", "SSLv3", "TLS1", "TLS1_1"):
                require("not offered" in offered[version], version, offered[version])
            for version in ("TLS1_2", "TLS1_3"):
                require(offered[version].startswith("offered"), version, offered[version])
            print(f"  {len(findings)} findings of testssl.sh, none that matters")


if __name__ == "__main__":
    main()
