import java.util.Map;
import org.apache.paimon.rest.RESTCatalogServer;
import org.apache.paimon.rest.auth.BearTokenAuthProvider;
import org.apache.paimon.rest.responses.ConfigResponse;

/**
 * Serves a warehouse with the REST server of Paimon's own tests, until its standard input ends.
 *
 * <p>Arguments: directory of the warehouse, name of the warehouse, token. The first line of its output is
 * the address.
 */
public final class PaimonRestServer {

    private PaimonRestServer() {}

    public static void main(String[] arguments) throws Exception {
        ConfigResponse configuration = new ConfigResponse(Map.of("prefix", "paimon"), Map.of());
        RESTCatalogServer server = new RESTCatalogServer(
                arguments[0], new BearTokenAuthProvider(arguments[2]), configuration, arguments[1]);
        server.start();
        System.out.println(server.getUrl());
        System.in.transferTo(java.io.OutputStream.nullOutputStream());
        server.shutdown();
    }
}
