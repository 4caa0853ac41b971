"""Files of other engines that no test can make without them, as texts; each tells how it was made."""

from __future__ import annotations

import base64
import zlib
from pathlib import Path

# TIMESTAMP(9), with local time zone and without, by Apache Paimon 1.4.2 (tests/peers/paimon_java.py).
PAIMON_INT96 = (
    "c-jka3^EjD5M96sLMJAzf59yyDgqSX5anQi14by#1f`jwGz*kwh0<(LnjK2RjNpXQqAa2x7(r<5-NrT+8=yr%6aGU%kF6>L&"
    "p!lP;tzt&_#sML9Lk1)ZXg?`w;M?uq=prV&B!pd_>cz!LwXlTed(7ur~m(7woI7;=t%`2Ty^}+8FrALSwz`Deg^qbgpq|+z$"
    "m0_#t?P0q#%=|1U&wLOn3w^Ns0jlWW+c`FENTSfSF&IMg5@6J8TdpP??VhZ$V;aZhl^TadJj#ZlWj~FeHE;WXenl1u9@uWs="
    "}7$;?eHE=kNSh_?(igNU)_lvDwEb_`-7k}{GuY78=>ERw1W9Fic7qCinGpuLwE)i`VrjzYLpj6nm7D9~l1AfGca*Z`HhU>6k"
    "=Tg5JF#{e>%P12NujYSg0EnsV2FaeR;7iP6vj520GBXoda#R4=!lmSeEO!@~j3B?eI<B_!AVN*NAf=l}p4xo0iMeJfCY8*gH"
    "gn>cBt01wcur#$qH@8TkEVZaOGe1wkP|wgz&p<&VsWdYuMZv_tDB0M;&>-2^+$hD!(#*g()zHGw+}toRIW;LQH96VbFex?7%"
    "urL(Muvd_f*AUN`7Z#NPXWTa)<g"
)

# Timestamps and dates by Spark 4.2.1 with JVM and session in the zone Asia/Shanghai.
SPARK_SHANGHAI_ORC = (
    "c-pm7eQZ-z6hHU9*Y>{GmbDMIy}eB69t<mtw{8%Hr!#0#7LrNnK$~bYyIDumtt;&d5fa7|L@U`~;2$s-bbe%5gVVUMMH90RW"
    "n%@M2_{GZHxV&e3`~OZ>FV8T=Fn*156>U>cW&-I=lsqu=d5-+tpJ>!XRz4?g~ZL|XaL}6U^9;~So)EWpj=QzUJ5w_q>Z14P5"
    "f+}N}attoEkoZEaR!y2b#CP{gOerHJ0q(GaBn)TxcDMv2z?u882efs#!v+`}n{Qt+}@GOXF|dI1qK5y7iC?EhC@BzY1hvlfv"
    "Sw=by6lY`Z|Y&@_@o#LY^R%$T@WvRK0w4GS8+oxg-R6y#A*5M6LrT;>3LWdaIKnTPNiPmK+d(>T?%cD*ri?%*r$Az)Y9PQ-e"
    "9NY=BZkJtd_HkGU|APB}^y1pl%+r9AKu~q=;VZ+OP6)B*EMtRL|2pHtNsqO_3-%rGwUjVvlYxw%iid4GTivZV*sW%5dKSiJG"
    "{rHm+3R>b%?*>3?G-~a^;~K!x$~bse44s7hHx6hp_r5_4&LX>jx}V=QvNT!TyLAyj2$A|3JVikWHd}8%8qyWY04^Gd#G|8+!"
    "p4~-Gy38+fc@}zH{`}Z`~ZrtqH^!TIjt-}kBPK70RSX;IcP-W;Qvo_0RsEs!ryJb`Wfi!&&&x2PG2~!zvf-{%umk5hq&dj_K"
    "poZuOvFNj=A|GZhpt%f*ElB=bSIw8p`hJYCKuuE#K0<?8HcHpl;9Ny!w4-E_e1fe={^YIPxm9vTrEttZ!&3tLCzyWczoyeeD"
    "k(HNC5~?Xz`6vX>ZkEy|x?ijt1<`uMT7RVZ2Tquhi-+WlICcZbpaC$G<RI$&7tQ^ZY<CTF>QYdkzR|4uf=Q_JQ4`#5?kIqTo"
    "n!Bc4U7^V&W^ilU%8K{UwKH5@}^-kb{73f=PlIyd>kZFXqvoLMx(u-ySdnsWjZQGCRW+{iT)FFyybRrdaPDCLQ)rg2VQHjE|"
    "RDc=9&Sgi#zDQ7xZm5x~e5$WzQ&g4JO<_N8Rs*&EsOqZ?SA^8fk{z?kJeCAzNSNeBdJ)x1dTit=1D5i!LCMoc)kq*zy&#Vh>"
    "LS&$FYK#Y@0U0FBhf%zh}SKVi{&DRS((&S`G=;;9crrlr>4r?X}Y}WiBj;ON?ozMSaz@z3OjDbk5KAT)p+PhI%(=vzP{Mdsn"
    "GZmWzh+mW|1f`*$*KHyX^{1uXa0g{s1eqx2O"
)


def write(text: str, path: Path) -> Path:
    """Make the file of one of the texts."""
    path.write_bytes(zlib.decompress(base64.b85decode(text)))
    return path
